const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const number = /^\d+(\.\d+)?$/;
const duration = /^(\d+(\.\d+)?\s*(ms|[smhd]))+$/;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * How long the provider asks to wait, in ms from `now` (ms since 1970); null when it does not say, says
 * nonsense, or names a moment that has passed. Looks at `retry-after-ms`, `retry-after`, the reset of a
 * rate-limit budget that is used up, and at last at hints in the text of the error.
 *
 * @param headers by lower-case name
 */
export function retryAfterMs(headers: Record<string, string>, errorText: string, now: number): number | null {
  const millis = headers['retry-after-ms']?.trim() ?? '';
  if (number.test(millis)) return Number(millis);
  return waitOf(headers['retry-after'], now) ?? exhaustedBudget(headers, now) ?? hintInText(errorText);
}

/** One value: seconds, a list of seconds, a duration such as `6m0s` or `120ms`, a date, or a time stamp. */
function waitOf(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? '';
  const parts = text.split(',').map((part) => part.trim());
  if (parts.every((part) => number.test(part))) return fromNumber(Math.max(...parts.map(Number)), now);
  if (duration.test(text.toLowerCase())) return durationMs(text.toLowerCase());
  const at = dateOf(text);
  return at === null || at <= now ? null : at - now;
}

/** A number too large for a wait is a time stamp in seconds or milliseconds. */
function fromNumber(value: number, now: number): number | null {
  if (value < 1e8) return value * 1000;
  const at = value < 1e11 ? value * 1000 : value;
  return at > now ? at - now : null;
}

/** Adds up the parts of `1m12.5s`, with units from ms to d. */
function durationMs(text: string): number {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|[smhd])/g)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return total;
}

/** The three date forms of HTTP and ISO 8601 with a zone, in ms since 1970. A lone number is never a year. */
function dateOf(text: string): number | null {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/i.test(text)) return finite(Date.parse(text));
  const clock = /(\d\d):(\d\d):(\d\d)/.exec(text);
  const form = /^[a-z]+,\s*(\d{1,2})[ -]([a-z]{3})[ -](\d{4}|\d\d) .*GMT$/i.exec(text);
  const old = /^[a-z]{3} ([a-z]{3}) +(\d{1,2}) .* (\d{4})$/i.exec(text);
  const [day, month, year] = form ? [form[1], form[2], form[3]] : old ? [old[2], old[1], old[3]] : [];
  if (clock === null || month === undefined) return null;
  const fullYear = Number(year) < 100 ? 2000 + Number(year) : Number(year);
  const time = [clock[1], clock[2], clock[3]].map(Number) as [number, number, number];
  return finite(Date.UTC(fullYear, months.indexOf(month.toLowerCase()), Number(day), ...time));
}

/** The reset of the budgets of which nothing remains; a budget that is not used up says nothing. */
function exhaustedBudget(headers: Record<string, string>, now: number): number | null {
  let longest: number | null = null;
  for (const [name, value] of Object.entries(headers)) {
    if (!name.includes('ratelimit') || !name.includes('remaining') || !/^-?0+(\.0+)?$|^-\d+/.test(value.trim()))
      continue;
    const wait = waitOf(headers[name.replace('remaining', 'reset')], now);
    if (wait !== null && (longest === null || wait > longest)) longest = wait;
  }
  return longest;
}

/** “Try again in 1m12.5s”, “retry after 20 seconds”, `"retryDelay": "34s"`, `"retry_after": 5`. */
function hintInText(text: string): number | null {
  const amount =
    '((?:\\d+(?:\\.\\d+)?\\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)\\b\\s*|\\d+(?:\\.\\d+)?(?:ms|[smhd])(?=\\d))+)';
  const worded = new RegExp(`(?:try again|retry|wait|available|resets?)[a-z_"':\\s]{0,30}?${amount}`, 'i').exec(text);
  if (worded?.[1] !== undefined) return durationMs(shortUnits(worded[1]));
  const field = /retry[-_ ]?after(?:_seconds)?["']?\s*[:=]?\s*["']?(\d+(?:\.\d+)?)(?![\w.])/i.exec(text);
  return field?.[1] === undefined ? null : Number(field[1]) * 1000;
}

function shortUnits(text: string): string {
  return text
    .toLowerCase()
    .replace(/milliseconds?/g, 'ms')
    .replace(/(s)ec(ond)?s?|(m)in(ute)?s?|(h)ours?|(d)ays?/g, (_, s, _s, m, _m, h, d) => s ?? m ?? h ?? d);
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
