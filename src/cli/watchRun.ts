import { followVerdicts } from '../client/followVerdicts.js';
import type { ScoreCardFragment } from '../client/generated/operations.js';
import { ScoreCardDocument } from '../client/generated/operations.js';
import { request } from '../client/request.js';
import { CliError } from './cliError.js';
import type { CliContext } from './context.js';
import { createRunView } from './runView.js';
import { renderScoreCard } from './scoreCard.js';

/** The exit code of a program that Ctrl-C ended. */
export const INTERRUPTED = 130;

/**
 * Follows a run to its end and shows its score card. Returns the exit code: 0 for a completed run with a score,
 * 1 for any other end, 130 after Ctrl-C, which leaves the run running. A caller that gives a signal handles Ctrl-C
 * itself.
 */
export async function watchRun(
  context: CliContext,
  runId: string,
  options: { after?: number; json?: boolean; signal?: AbortSignal },
): Promise<number> {
  const { settings, output } = context;
  const view = createRunView(output, options.json ?? false);
  const interrupt = new AbortController();
  const signal = options.signal ?? interrupt.signal;
  const stop = () => interrupt.abort();
  if (!options.signal) process.once('SIGINT', stop);
  let cursor = options.after ?? 0;
  try {
    const onConnectionLost = () => view.notice('Connection lost; the run goes on. Connecting again …');
    for await (const batch of followVerdicts(settings, runId, { after: cursor, signal, onConnectionLost })) {
      cursor = Math.max(cursor, batch.cursor);
      view.batch(batch);
    }
  } finally {
    process.removeListener('SIGINT', stop);
    view.stop();
  }
  if (signal.aborted) {
    if (!options.signal) output.note(`The run goes on. Watch it again: assay watch ${runId} --after ${cursor}`);
    return INTERRUPTED;
  }
  const run = await fetchScoreCard(context, runId);
  if (options.json) process.stdout.write(`${JSON.stringify({ run })}\n`);
  else output.line(`\n${renderScoreCard(run, output.style)}`);
  return run.status === 'COMPLETED' && run.score !== null ? 0 : 1;
}

/** Everything on the score card of a run; throws a CliError when there is no such run. */
export async function fetchScoreCard({ settings }: CliContext, runId: string): Promise<ScoreCardFragment> {
  const { run } = await request(settings, ScoreCardDocument, { id: runId });
  if (!run) throw new CliError(`There is no run with the id ${runId}.`);
  return run;
}
