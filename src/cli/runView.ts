import { MultiBar } from 'cli-progress';
import type { ProgressFragment, VerdictBatchFragment, VerdictFragment } from '../client/generated/operations.js';
import type { Output } from './output.js';
import { progressBarText, progressText, type Tally } from './progressText.js';
import { verdictLine } from './verdictLine.js';

/** Shows a run while it is followed. */
export interface RunView {
  batch(batch: VerdictBatchFragment): void;
  notice(text: string): void;
  /** Takes the bar away. */
  stop(): void;
}

/** A bar with the verdicts above it on a terminal, lines in a pipe, JSON lines when asked for. */
export function createRunView(output: Output, json: boolean): RunView {
  if (json) return jsonView(output);
  return output.terminal ? terminalView(output) : lineView(output);
}

function jsonView(output: Output): RunView {
  return {
    batch: (batch) => void process.stdout.write(`${JSON.stringify(batch)}\n`),
    notice: output.note,
    stop: () => {},
  };
}

/** A progress line at most this often, in ms. */
const LINE_INTERVAL_MS = 2000;

function lineView(output: Output): RunView {
  const tally: Tally = { met: 0, notMet: 0 };
  let last = Date.now();
  return {
    batch: ({ verdicts, progress }) => {
      for (const verdict of verdicts) output.line(verdictLine(verdict, output.style));
      count(tally, verdicts);
      if (Date.now() - last < LINE_INTERVAL_MS) return;
      last = Date.now();
      output.line(progressText(progress, tally));
    },
    notice: output.note,
    stop: () => {},
  };
}

/** More lines a second than this nobody reads; the rest is counted in one line. */
const LINES_PER_SECOND = 60;

function terminalView(output: Output): RunView {
  const tally: Tally = { met: 0, notMet: 0 };
  let progress: ProgressFragment | null = null;
  let budget = { second: 0, left: 0, hidden: 0 };
  const bars = new MultiBar({
    stream: process.stdout,
    format: () => (progress ? progressBarText(progress, tally, liveStyle(output)) : 'Waiting for the first verdict …'),
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
    forceRedraw: true,
  });
  bars.create(1, 0);
  const say = (text: string) => bars.log(`${text}\n`);
  return {
    batch: (batch: VerdictBatchFragment) => {
      progress = batch.progress;
      count(tally, batch.verdicts);
      const second = Math.floor(Date.now() / 1000);
      if (second !== budget.second) {
        if (budget.hidden > 0) say(output.style.paint.faint(`  … and ${budget.hidden} more`));
        budget = { second, left: LINES_PER_SECOND, hidden: 0 };
      }
      const shown = batch.verdicts.slice(0, budget.left);
      budget.left -= shown.length;
      budget.hidden += batch.verdicts.length - shown.length;
      for (const verdict of shown) say(verdictLine(verdict, liveStyle(output)));
    },
    notice: (text) => say(output.style.paint.warning(text)),
    stop: () => {
      bars.update();
      bars.stop();
    },
  };
}

/** The terminal may be resized while a run is watched. */
function liveStyle(output: Output): Output['style'] {
  return { ...output.style, width: (process.stdout.columns || output.style.width) - 1 };
}

function count(tally: Tally, verdicts: readonly VerdictFragment[]): void {
  for (const { criteriaMet } of verdicts) {
    if (criteriaMet) tally.met += 1;
    else tally.notMet += 1;
  }
}
