import { NotFound } from '../errors.js';
import type { Database, RunStatus } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import { WakeSignal } from '../platform/wakeSignal.js';
import type { WakeUps } from '../platform/wakeUps.js';
import { progressOf } from '../runs/progress.js';
import { findRun, type RunRow } from '../runs/run.queries.js';
import { isFinal, runKey } from '../runs/runStatus.js';
import { MAX_VERDICTS, readVerdicts, type VerdictRow } from './verdict.queries.js';

/** A lost hint costs this much latency and no verdict. */
const POLL_MS = 1_000;
/** News of this long goes out together; longer for many, whose batches cost more than a verdict's age is worth. */
const WINDOW_MS = 50;
const MANY_READERS = 200;
const MANY_WINDOW_MS = 70;
/** A reader that is further behind reads the log itself. */
const MAX_WAITING = 16;

/** News of a run. One object for all its readers, so that what is made of it can be shared, too. */
export interface Batch {
  /** The verdicts are those with the sequence numbers `after` + 1 to `cursor`. */
  after: number;
  verdicts: VerdictRow[];
  /** Sequence number of the newest verdict. */
  cursor: number;
  run: RunRow;
  /** As the run's, but not final while more verdicts are to come. */
  runStatus: RunStatus;
}

/** Where a run is read from: by its team, with the database as that team sees it. */
export interface Source {
  db: Database;
  queue: JobQueue;
  wakeUps: WakeUps;
  teamId: string;
  runId: string;
}

/** A process has one WakeUps, and with it one tail for each run that somebody follows. */
const tailsOf = new WeakMap<WakeUps, Map<string, RunTail>>();

/**
 * Takes part in the reading of a run: the first event comes at once, and then one for each change of its verdicts,
 * counters or status. However many take part, the process reads the run and its log once.
 * @param withVerdicts false: events come without verdicts where nobody else needs them
 */
export function joinTail(source: Source, withVerdicts: boolean): TailReader {
  const tails = tailsOf.get(source.wakeUps) ?? new Map<string, RunTail>();
  tailsOf.set(source.wakeUps, tails);
  const key = `${source.teamId} ${source.runId}`;
  let tail = tails.get(key);
  if (tail === undefined) {
    const fresh = new RunTail(source, () => tails.get(key) === fresh && tails.delete(key));
    tails.set(key, fresh);
    tail = fresh;
  }
  return tail.join(withVerdicts);
}

/** One reader's place: the events that it has not taken yet. */
export class TailReader {
  #waiting: Batch[] = [];
  #ended = false;
  #error: Error | null = null;
  #news: () => void = () => {};

  constructor(
    readonly withVerdicts: boolean,
    private readonly leave: (reader: TailReader) => void,
  ) {}

  /** The next event; null at the end. Throws what ended the reading, NotFound for a run that is gone. */
  async next(): Promise<Batch | null> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) return event;
      if (this.#error !== null) throw this.#error;
      if (this.#ended) return null;
      await new Promise<void>((resolve) => {
        this.#news = resolve;
      });
    }
  }

  /** For the tail. Of what a slow reader has not taken only the newest is kept: the rest is in the log. */
  put(event: Batch): void {
    if (this.#waiting.length >= (this.withVerdicts ? MAX_WAITING : 1)) this.#waiting = [];
    this.#waiting.push(event);
    this.#news();
  }

  /** For the tail: nothing comes any more. */
  end(error: Error | null): void {
    this.#ended = true;
    this.#error = error;
    this.#news();
  }

  /** Takes no part any more: `next` gives null from here on. */
  close(): void {
    this.#waiting = [];
    this.end(null);
    this.leave(this);
  }
}

/** The one reader of a run's log in this process. Lives as long as somebody follows and the run is not over. */
class RunTail {
  readonly #readers = new Set<TailReader>();
  readonly #signal = new WakeSignal();
  #cursor: number | null = null;
  #last: Batch | null = null;
  /** What the last event said, as text. */
  #said = '';

  constructor(
    private readonly source: Source,
    private readonly forget: () => void,
  ) {
    void this.#run();
  }

  join(withVerdicts: boolean): TailReader {
    const reader = new TailReader(withVerdicts, (left) => {
      this.#readers.delete(left);
      if (this.#readers.size > 0) return;
      this.forget();
      this.#signal.wake();
    });
    this.#readers.add(reader);
    if (this.#last !== null) reader.put(this.#last);
    return reader;
  }

  async #run(): Promise<void> {
    const { wakeUps, runId } = this.source;
    const leave = wakeUps.on(runKey(runId), this.#signal.wake);
    let error: Error | null = null;
    try {
      await this.#follow();
    } catch (thrown) {
      error = thrown as Error;
    }
    leave();
    this.forget();
    for (const reader of this.#readers) reader.end(error);
  }

  async #follow(): Promise<void> {
    for (;;) {
      const { run, over } = await readRun(this.source);
      if (run === null) throw new NotFound('Run', ['runId']);
      await this.#publish(run, over);
      if (over || this.#readers.size === 0) return;
      const many = this.#readers.size > MANY_READERS;
      await new Promise((resolve) => setTimeout(resolve, many ? MANY_WINDOW_MS : WINDOW_MS));
      await this.#signal.wait(POLL_MS);
      if (this.#readers.size === 0) return;
    }
  }

  /** Tells the readers what is new since the last time. The run was read before the log. */
  async #publish(run: RunRow, over: boolean): Promise<void> {
    const { db, teamId, runId } = this.source;
    const wanted = [...this.#readers].some((reader) => reader.withVerdicts);
    const newest = run.log?.lastSequence ?? 0;
    // What is there at the beginning, each reader takes from the log, from where it wants to begin.
    if (this.#cursor === null || !wanted) this.#cursor = newest;
    for (let more = true; more; ) {
      const after: number = this.#cursor;
      const verdicts = newest > after ? await readVerdicts(db, teamId, runId, after, MAX_VERDICTS) : [];
      more = verdicts.length === MAX_VERDICTS;
      const cursor = verdicts.at(-1)?.sequence ?? after;
      this.#cursor = cursor;
      this.#tell({ after, verdicts, cursor, run, runStatus: statusShown(run, over && !more) });
    }
  }

  #tell(event: Batch): void {
    const { etaSeconds, ...counts } = progressOf(event.run, new Date());
    const said = JSON.stringify([event.run.status, event.runStatus, event.cursor, counts]);
    if (said === this.#said) return;
    this.#said = said;
    this.#last = event;
    for (const reader of this.#readers) reader.put(event);
  }
}

/**
 * The run, and whether no verdict can come any more: a run that was cancelled still gets those of the calls that
 * were in flight. The log is complete when it is read after this.
 */
export async function readRun(
  source: Pick<Source, 'db' | 'queue' | 'teamId' | 'runId'>,
): Promise<{ run: RunRow | null; over: boolean }> {
  const { db, queue, teamId, runId } = source;
  const run = await findRun(db, teamId, runId);
  if (run === null || !isFinal(run.status)) return { run, over: false };
  if (run.status !== 'CANCELLED') return { run, over: true };
  if ((await queue.running(db, { runId })) > 0) return { run, over: false };
  return { run: await findRun(db, teamId, runId), over: true };
}

/** While more is to come, a reader must not take the run for over. */
export const statusShown = (run: RunRow, complete: boolean): RunStatus =>
  isFinal(run.status) && !complete ? 'RUNNING' : run.status;
