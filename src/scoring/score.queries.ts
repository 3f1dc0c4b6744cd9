import { scoreRun, tagScores } from '../healthbench/score.js';
import type { Database, Queryable, RunScore } from '../platform/database.js';

export interface ScoredConversation {
  conversationNo: number;
  score: number;
  /** The conversation's tags. */
  tags: string[];
  tagPoints: { tag: string; earned: number; possible: number }[];
}

interface Row {
  conversationNo: number;
  score: number;
  tags: string[];
  itemTags: string[];
  earned: number[];
  possible: number[];
}

/** What the pure functions need of a run's scored conversations, in the order of the run. */
export async function loadScoredConversations(
  db: Queryable,
  teamId: string,
  runId: string,
): Promise<ScoredConversation[]> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT rc.conversation_no AS "conversationNo", rc.score, c.tags, rc.tags AS "itemTags",
      rc.tag_earned AS earned, rc.tag_possible AS possible
    FROM run_conversation rc
    JOIN run ON run.id = rc.run_id
    JOIN conversation c ON c.dataset_id = run.dataset_id AND c.no = rc.conversation_no
    WHERE rc.run_id = ${runId}::uuid AND rc.team_id = ${teamId}::uuid AND rc.status = 'SCORED' ORDER BY rc.ordinal`;
  return rows.map(({ conversationNo, score, tags, itemTags, earned, possible }) => ({
    conversationNo,
    score,
    tags,
    tagPoints: itemTags.map((tag, i) => ({ tag, earned: earned[i] as number, possible: possible[i] as number })),
  }));
}

/** The scores of the scored conversations of many runs, in one statement. */
export async function loadScores(
  db: Database,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, number[]>> {
  const rows = await db.$queryRaw<{ runId: string; scores: number[] }[]>`
    SELECT run_id AS "runId", array_agg(score ORDER BY ordinal) AS scores FROM run_conversation
    WHERE run_id = ANY(${[...runIds]}::uuid[]) AND team_id = ${teamId}::uuid AND status = 'SCORED' GROUP BY run_id`;
  return new Map(rows.map((row) => [row.runId, row.scores]));
}

export type Aggregates = Pick<RunScore, 'value' | 'unclippedMean' | 'median' | 'n' | 'perfect' | 'belowZero'> & {
  bootstrapStd: number | null;
  interval: { low: number; high: number; method: string } | null;
  final: boolean;
};

/** The stored aggregates of completed runs; one statement for all of them. */
export async function loadFinalAggregates(
  db: Database,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, Aggregates>> {
  const rows = await db.runScore.findMany({ where: { runId: { in: [...runIds] }, teamId } });
  return new Map(
    rows.map(({ intervalLow: low, intervalHigh: high, ...row }) => [
      row.runId,
      { ...row, interval: { low, high, method: 'CLUSTERED_BOOTSTRAP' }, final: true },
    ]),
  );
}

/**
 * The aggregates so far of runs that are not completed, from their conversations and never from verdicts.
 * The interval is the normal approximation, because a bootstrap at every look would cost 100 ms.
 */
export async function loadPresentAggregates(
  db: Database,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, Aggregates>> {
  const found = new Map<string, Aggregates>();
  for (const [runId, scores] of await loadScores(db, teamId, runIds)) {
    const total = scoreRun(scores);
    if (total === null) continue;
    const { standardDeviation, ...rest } = total;
    found.set(runId, {
      ...rest,
      bootstrapStd: null,
      interval: normal(total.unclippedMean, standardDeviation, total.n),
      final: false,
    });
  }
  return found;
}

const Z_95 = 1.959964;
const clip = (value: number): number => Math.min(1, Math.max(0, value));

function normal(mean: number, standardDeviation: number | null, n: number): Aggregates['interval'] {
  if (standardDeviation === null) return null;
  const half = (Z_95 * standardDeviation) / Math.sqrt(n);
  return { low: clip(mean - half), high: clip(mean + half), method: 'NORMAL' };
}

export interface TagAggregate {
  tag: string;
  n: number;
  value: number;
  unclippedMean: number;
}

/** The tag scores of a run: the stored ones of a completed run, else computed from its conversations so far. */
export async function loadTagScores(
  db: Database,
  teamId: string,
  runId: string,
  completed: boolean,
): Promise<TagAggregate[]> {
  if (completed) return db.runTagScore.findMany({ where: { runId, teamId }, orderBy: { tag: 'asc' } });
  return tagScores(await loadScoredConversations(db, teamId, runId));
}
