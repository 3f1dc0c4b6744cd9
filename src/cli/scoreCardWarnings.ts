import type { LostConversationFragment, ScoreCardFragment } from '../client/generated/operations.js';
import { counted, grouped, percent } from './format.js';
import type { Style } from './paint.js';
import { clean, wrap } from './text.js';

interface Warning {
  text: string;
  details?: string[];
}

/** What a reader must know before quoting the number; empty when there is nothing. */
export function scoreCardWarnings(run: ScoreCardFragment, { width, paint }: Style): string[] {
  const warnings = [status(run), coverage(run), simulated(run), selfGraded(run), ...others(run)].filter(
    (warning) => warning !== null,
  );
  if (warnings.length === 0) return [];
  const lines = warnings.flatMap(({ text, details = [] }) => {
    const first = wrap(text, width - 2, 4).map((line, index) => `${index === 0 ? '!' : ' '} ${line}`);
    const others = details.flatMap((detail) => wrap(detail, width - 4, 2).map((line) => `    ${line}`));
    return [...first, ...others];
  });
  return ['', ...lines.map(paint.warning)];
}

function status(run: ScoreCardFragment): Warning | null {
  if (run.status === 'COMPLETED') return null;
  const reason = run.statusReason ? `: ${clean(run.statusReason)}` : '';
  const over = run.status === 'FAILED' || run.status === 'CANCELLED';
  const meaning = over ? 'These numbers cover only what was done before.' : 'These numbers are not final.';
  return { text: `The run is ${run.status}${reason}${/[.!?]$/.test(reason) ? '' : '.'} ${meaning}` };
}

function coverage(run: ScoreCardFragment): Warning | null {
  const { conversationsFailed, conversationsUngraded, conversationsTotal, criteriaUngraded } = run.progress;
  const missing = conversationsFailed + conversationsUngraded;
  if (missing === 0 && criteriaUngraded === 0) return null;
  const text =
    `COVERAGE ${percent(run.score?.coverage ?? 0)}: ${grouped(missing)} of ` +
    `${counted(conversationsTotal, 'conversation')} not scored (${grouped(conversationsFailed)} without a reply, ` +
    `${grouped(conversationsUngraded)} ungraded); ${counted(criteriaUngraded, 'criterion', 'criteria')} ` +
    'without a verdict. None of them counts as "not met".';
  return { text, details: [...reasons(run.lost.nodes), wayOut(run)] };
}

/** The reasons for what is missing, most frequent first, each with one example of what was said. */
function reasons(lost: readonly LostConversationFragment[]): string[] {
  const tally = new Map<string, { count: number; example: string }>();
  const add = (reason: string, message: string | null) => {
    const entry = tally.get(reason) ?? { count: 0, example: clean(message ?? '') };
    entry.count += 1;
    tally.set(reason, entry);
  };
  for (const conversation of lost) {
    const ungraded = conversation.results.flatMap((result) => result.ungraded ?? []);
    if (conversation.status === 'FAILED') add(`${conversation.reason ?? 'UNKNOWN'} (reply)`, conversation.message);
    for (const { reason, message } of ungraded) add(`${reason} (grading)`, message);
  }
  return [...tally]
    .sort((a, b) => b[1].count - a[1].count)
    .slice(0, 5)
    .map(([reason, { count, example }]) => `${grouped(count)} × ${reason}${example ? `: ${example}` : ''}`);
}

/** Nothing is ever called for an imported run. */
const wayOut = ({ id, origin }: ScoreCardFragment): string =>
  origin === null
    ? `Try what is missing once more: assay retry ${id}`
    : `Grade its replies anew, in a new run: assay regrade ${id}`;

function simulated(run: ScoreCardFragment): Warning | null {
  const replies = run.modelUnderTest.simulated;
  const verdicts = run.grader.simulated;
  if (!replies && !verdicts) return null;
  const what = replies && verdicts ? 'Replies and verdicts' : replies ? 'The replies' : 'The verdicts';
  return {
    text: `SIMULATED: ${what} were made up by the built-in simulated provider. The numbers say nothing about any model.`,
  };
}

function selfGraded(run: ScoreCardFragment): Warning | null {
  if (run.grader.model !== run.modelUnderTest.model) return null;
  return {
    text: `SELF-GRADED: ${clean(run.grader.model)} judged its own replies; models tend to be kind to themselves.`,
  };
}

/** What the service warns of and this card has no words of its own for. */
const SAID = new Set(['INCOMPLETE_COVERAGE', 'SIMULATED', 'SELF_GRADED']);

function others({ warnings }: ScoreCardFragment): Warning[] {
  return warnings
    .filter(({ code }) => !SAID.has(code))
    .map(({ code, message }) => ({ text: `${code.replaceAll('_', ' ')}: ${clean(message)}` }));
}
