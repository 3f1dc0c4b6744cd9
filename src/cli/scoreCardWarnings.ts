import type { ScoreCardFragment } from '../client/generated/operations.js';
import { counted } from './format.js';
import type { Style } from './paint.js';
import { clean, wrap } from './text.js';

interface Warning {
  text: string;
  details?: string[];
}

/** What a reader must know before quoting the number, in the words of the service; empty when there is nothing. */
export function scoreCardWarnings(run: ScoreCardFragment, { width, paint }: Style): string[] {
  const lines = [...status(run), ...run.warnings.map((warning) => given(run, warning))].flatMap(
    ({ text, details = [] }) => {
      const first = wrap(text, width - 2, 4).map((line, index) => `${index === 0 ? '!' : ' '} ${line}`);
      const others = details.flatMap((detail) => wrap(detail, width - 4, 2).map((line) => `    ${line}`));
      return [...first, ...others];
    },
  );
  return lines.length === 0 ? [] : ['', ...lines.map(paint.warning)];
}

function status(run: ScoreCardFragment): Warning[] {
  if (run.status === 'COMPLETED') return [];
  const reason = run.statusReason ? `: ${clean(run.statusReason)}` : '';
  const over = run.status === 'FAILED' || run.status === 'CANCELLED';
  const meaning = over ? 'These numbers cover only what was done before.' : 'These numbers are not final.';
  return [{ text: `The run is ${run.status}${reason}${/[.!?]$/.test(reason) ? '' : '.'} ${meaning}` }];
}

function given(run: ScoreCardFragment, { code, message }: ScoreCardFragment['warnings'][number]): Warning {
  const text = `${code.replaceAll('_', ' ')}: ${clean(message)}`;
  return code === 'INCOMPLETE_COVERAGE' ? { text, details: missing(run) } : { text };
}

const SHOWN = 5;
/** Others go on, or are ended for good. */
const RETRIED: readonly string[] = ['COMPLETED', 'FAILED'];

/** Why something is missing, the most frequent first, each with what was said, and what can be done. */
function missing({ id, status, origin, missingReasons }: ScoreCardFragment): string[] {
  const more = missingReasons.length - SHOWN;
  return [
    ...missingReasons.slice(0, SHOWN).map(reasonText),
    ...(more > 0 ? [`and ${counted(more, 'more reason')}: see missingReasons with --json`] : []),
    // Nothing is ever called for an imported run.
    ...(origin !== null ? [`Grade its replies anew, in a new run: assay regrade ${id}`] : []),
    ...(origin === null && RETRIED.includes(status) ? [`Try them once more: assay retry ${id}`] : []),
  ];
}

function reasonText(reason: ScoreCardFragment['missingReasons'][number]): string {
  const { conversations, criteria, message } = reason;
  const where = counted(conversations, 'conversation');
  const verdicts =
    criteria === null ? `verdicts missing in ${where}` : `${counted(criteria, 'verdict')} missing in ${where}`;
  const what = reason.missing === 'REPLY' ? `${counted(conversations, 'reply', 'replies')} missing` : verdicts;
  return `${what}: ${reason.reason}${message ? ` (${clean(message)})` : ''}`;
}
