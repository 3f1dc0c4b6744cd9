import type { RunRow } from '../runs/run.queries.js';
import { type Batch, joinTail, readRun, type Source, statusShown, type TailReader } from './runTail.js';
import { MAX_VERDICTS, readVerdicts } from './verdict.queries.js';

/** Progress goes out a few times a second at most. */
const PROGRESS_WINDOW_MS = 300;

/**
 * Every verdict of a run after sequence number `after`, once and in order: first what is there, then what
 * comes, until the run is over and nothing is in flight. The first batch comes at once, and each change of the run's
 * status makes one, also without verdicts. Ends with NotFound for a run that is missing or another team's.
 */
export function followVerdicts(source: Source, after: number): AsyncIterableIterator<Batch> {
  const reader = joinTail(source, true);
  return endedBy(reader, verdictsOf(reader, source, after));
}

async function* verdictsOf(reader: TailReader, source: Source, after: number): AsyncGenerator<Batch> {
  let cursor = after;
  let status: string | null = null;
  for (let event = await reader.next(); event !== null; event = await reader.next()) {
    const next = event.after === cursor ? [event] : missed(source, event, cursor);
    for await (const batch of next) {
      if (batch.verdicts.length > 0 || batch.runStatus !== status) yield batch;
      status = batch.runStatus;
    }
    cursor = Math.max(cursor, event.cursor);
  }
}

/**
 * For a reader that is not where the event begins (it has just come, or was slow): what lies between `cursor` and the
 * event's end, from the log, so that the next event fits again.
 */
async function* missed({ db, teamId, runId }: Source, event: Batch, cursor: number): AsyncGenerator<Batch> {
  for (let after = cursor; ; ) {
    const verdicts = await readVerdicts(db, teamId, runId, after, MAX_VERDICTS, event.cursor);
    const newest = verdicts.at(-1)?.sequence ?? after;
    const more = verdicts.length === MAX_VERDICTS && newest < event.cursor;
    const runStatus = more ? statusShown(event.run, false) : event.runStatus;
    yield { after, verdicts, cursor: newest, run: event.run, runStatus };
    if (!more) return;
    after = newest;
  }
}

/** The run whenever it has changed, at most a few times a second; ends with the run. */
export function followRun(source: Source): AsyncIterableIterator<RunRow> {
  const reader = joinTail(source, false);
  return endedBy(reader, runsOf(reader));
}

async function* runsOf(reader: TailReader): AsyncGenerator<RunRow> {
  for (let event = await reader.next(); event !== null; event = await reader.next()) {
    yield event.run;
    await new Promise((resolve) => setTimeout(resolve, PROGRESS_WINDOW_MS));
  }
}

/** A generator that waits for news hears of its end only with the news; so its reader is told. */
function endedBy<T>(reader: TailReader, generator: AsyncGenerator<T>): AsyncIterableIterator<T> {
  return {
    next: () => generator.next(),
    return: () => {
      reader.close();
      return generator.return(undefined);
    },
    throw: (error) => {
      reader.close();
      return generator.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * The next batch after sequence number `after`, for those who poll: the same events as followVerdicts gives,
 * at most `limit` verdicts. Null for a run that is missing or another team's.
 */
export async function nextBatch(source: Omit<Source, 'wakeUps'>, after: number, limit: number): Promise<Batch | null> {
  const { run, over } = await readRun(source);
  if (run === null) return null;
  const verdicts = await readVerdicts(source.db, source.teamId, source.runId, after, limit);
  const complete = over && verdicts.length < limit;
  return {
    after,
    verdicts,
    cursor: verdicts.at(-1)?.sequence ?? after,
    run,
    runStatus: statusShown(run, complete),
  };
}
