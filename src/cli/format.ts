/** What stands where a number is undefined: never 0. */
export const UNDEFINED = '–';

/** A share from 0 to 1 (a score may be below 0) as "41.3 %". */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? UNDEFINED : `${fixed(share * 100, 1)} %`;
}

/** A number with thousands separated: 57,000. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

/** A count with its noun: "1 run", "2,300 criteria". */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${grouped(value)} ${value === 1 ? one : many}`;
}

/** Signed points as in the rubric: "+5", "-8", "+2.5". */
export function points(value: number): string {
  return value > 0 ? `+${value}` : String(value);
}

/** Seconds for a person: "4.2 s", "3 min 20 s", "1 h 5 min". */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return UNDEFINED;
  if (seconds < 9.95) return `${fixed(Math.max(0, seconds), 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(whole / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A moment in the reader's own time zone: "2026-03-01 14:05". */
export function moment(iso: string | null): string {
  if (!iso) return UNDEFINED;
  const date = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A horizontal bar of a share from 0 to 1 in at most `width` columns; smaller than 0 is an empty bar. */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

/** A share on a scale from 0 to 1, with its interval where there is one: "┈┈├──●──┤┈┈". */
export function scale(share: number, interval: { low: number; high: number } | null, width: number): string {
  const at = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * (width - 1));
  const cells = Array.from({ length: width }, () => '┈');
  if (interval) {
    cells.fill('─', at(interval.low), at(interval.high) + 1);
    cells[at(interval.low)] = '├';
    cells[at(interval.high)] = '┤';
  }
  cells[at(share)] = '●';
  return cells.join('');
}

/** Rounded, and without the minus of "-0.0". */
function fixed(value: number, digits: number): string {
  return value.toFixed(digits).replace(/^-(0(?:\.0+)?)$/, '$1');
}
