import { NotFound } from '../errors.js';
import type { Database, RunStatus } from '../platform/database.js';
import { WakeSignal } from '../platform/wakeSignal.js';
import type { WakeUps } from '../platform/wakeUps.js';
import { progressOf } from '../runs/progress.js';
import { findRun, type RunRow } from '../runs/run.queries.js';
import { isFinal, runKey } from '../runs/runStatus.js';
import { MAX_VERDICTS, readVerdicts, type VerdictRow } from './verdict.queries.js';

/** A lost hint costs this much latency and no verdict. */
const POLL_MS = 1_000;
/** News of this long goes out together. */
const WINDOW_MS = 50;
/** Progress goes out a few times a second at most. */
const PROGRESS_WINDOW_MS = 300;

/** News of a run: the verdicts after the last ones, and the run as it is. */
export interface Batch {
  verdicts: VerdictRow[];
  /** Sequence number of the newest verdict sent. */
  cursor: number;
  run: RunRow;
  runStatus: RunStatus;
}

interface Source {
  db: Database;
  wakeUps: WakeUps;
  teamId: string;
  runId: string;
}

/**
 * Every verdict of a run after sequence number `after`, once and in order: first what is there, then what
 * comes, until the run is over. The log is the truth, a wake-up only a hint. The first batch comes at
 * once, and each change of the run's status makes one, also without verdicts.
 * Throws NotFound for a run that is missing or another team's.
 */
export async function* followVerdicts(source: Source, after: number): AsyncGenerator<Batch> {
  const { db, teamId, runId } = source;
  let cursor = after;
  let status: string | null = null;
  for await (const run of watchRun(source, WINDOW_MS)) {
    // The run was read before the log: of a run that is over, the log is then complete.
    for (;;) {
      const verdicts = await readVerdicts(db, teamId, runId, cursor, MAX_VERDICTS);
      cursor = verdicts.at(-1)?.sequence ?? cursor;
      const more = verdicts.length === MAX_VERDICTS;
      const runStatus = statusFor(run, more);
      if (verdicts.length > 0 || runStatus !== status) yield { verdicts, cursor, run, runStatus };
      status = runStatus;
      if (!more) break;
    }
  }
}

/** The run whenever it has changed, at most a few times a second; ends with the run. */
export async function* followRun(source: Source): AsyncGenerator<RunRow> {
  let last = '';
  for await (const run of watchRun(source, PROGRESS_WINDOW_MS)) {
    const { etaSeconds, ...counts } = progressOf(run, new Date());
    const now = JSON.stringify([run.status, counts]);
    if (now !== last) yield run;
    last = now;
  }
}

/** The run after each wake-up or poll, at most once per window; the last time when it is over. */
async function* watchRun({ db, wakeUps, teamId, runId }: Source, windowMs: number): AsyncGenerator<RunRow> {
  const signal = new WakeSignal();
  const leave = wakeUps.on(runKey(runId), signal.wake);
  try {
    for (;;) {
      const run = await findRun(db, teamId, runId);
      if (run === null) throw new NotFound('Run', ['runId']);
      yield run;
      if (isFinal(run.status)) return;
      await new Promise((resolve) => setTimeout(resolve, windowMs));
      await signal.wait(POLL_MS);
    }
  } finally {
    leave();
  }
}

/**
 * The next batch after sequence number `after`, for those who poll: the same events as followVerdicts gives,
 * at most `limit` verdicts. Null for a run that is missing or another team's.
 */
export async function nextBatch(
  { db, teamId, runId }: Omit<Source, 'wakeUps'>,
  after: number,
  limit: number,
): Promise<Batch | null> {
  // The run first: of a run that is over, the log is then complete.
  const run = await findRun(db, teamId, runId);
  if (run === null) return null;
  const verdicts = await readVerdicts(db, teamId, runId, after, limit);
  const more = verdicts.length === limit;
  return { verdicts, cursor: verdicts.at(-1)?.sequence ?? after, run, runStatus: statusFor(run, more) };
}

/** While more is to come, a reader must not take the run for over. */
const statusFor = (run: RunRow, more: boolean): RunStatus => (more && isFinal(run.status) ? 'RUNNING' : run.status);
