import { type Database, Prisma, type Queryable } from '../platform/database.js';
import type { RunRow } from '../runs/run.queries.js';

/** Two runs and how their conversations belong together. */
export interface RunPair {
  teamId: string;
  baseline: RunRow;
  candidate: RunRow;
  /** Numbers of the same conversations side by side; null within one dataset, where the numbers are the same. */
  same: { baseline: number[]; candidate: number[] } | null;
}

/** Two runs, ready to be joined. */
export async function pairRuns(db: Queryable, teamId: string, baseline: RunRow, candidate: RunRow): Promise<RunPair> {
  const same =
    baseline.datasetId === candidate.datasetId
      ? null
      : await sameConversations(db, teamId, baseline.datasetId, candidate.datasetId);
  return { teamId, baseline, candidate, same };
}

/**
 * The conversations that two datasets share: the same prompt id, messages and rubric, in text and points. The id alone
 * is not enough, since a variant of the benchmark may keep an id and change the rubric.
 */
async function sameConversations(db: Queryable, teamId: string, baselineId: string, candidateId: string) {
  const rubric = (of: string) => Prisma.sql`(
    SELECT array_agg(r.text || ' ' || r.points_text ORDER BY r.no) FROM rubric_criterion r
    WHERE r.dataset_id = ${Prisma.raw(of)}.dataset_id AND r.conversation_no = ${Prisma.raw(of)}.no)`;
  const rows = await db.$queryRaw<{ baseline: number[]; candidate: number[] }[]>`
    SELECT coalesce(array_agg(b.no), '{}') AS baseline, coalesce(array_agg(c.no), '{}') AS candidate
    FROM conversation b
    JOIN conversation c ON c.prompt_id = b.prompt_id AND c.messages = b.messages
    WHERE b.dataset_id = ${baselineId}::uuid AND c.dataset_id = ${candidateId}::uuid
      AND b.team_id = ${teamId}::uuid AND c.team_id = ${teamId}::uuid AND ${rubric('b')} = ${rubric('c')}`;
  return rows[0] ?? { baseline: [], candidate: [] };
}

/**
 * Rows `b` and `c` of the same conversation and repeat in the two runs; ends in a condition. Each row of the baseline
 * looks its partner up by key: as a plain join, Postgres without statistics (in the first minute of a run's life)
 * compared every row with every other, 8 s against 0.1 s.
 */
export function joined({ teamId, baseline, candidate, same }: RunPair): Prisma.Sql {
  const map =
    same === null
      ? Prisma.empty
      : Prisma.sql`JOIN unnest(${same.baseline}::int[], ${same.candidate}::int[]) AS same(baseline_no, candidate_no)
          ON same.baseline_no = b.conversation_no`;
  const no = same === null ? Prisma.sql`b.conversation_no` : Prisma.sql`same.candidate_no`;
  return Prisma.sql`run_conversation b ${map}
    CROSS JOIN LATERAL (
      SELECT * FROM run_conversation partner
      WHERE partner.run_id = ${candidate.id}::uuid AND partner.team_id = ${teamId}::uuid
        AND partner.conversation_no = ${no} AND partner.repeat = b.repeat LIMIT 1) AS c
    WHERE b.run_id = ${baseline.id}::uuid AND b.team_id = ${teamId}::uuid`;
}

const scored = Prisma.sql`b.status = 'SCORED' AND c.status = 'SCORED'`;

export interface SharedCounts {
  /** Conversations that both runs have, whatever became of them. */
  conversations: number;
  /** Conversations that have a score on both sides. */
  scored: number;
}

/** How much the two runs have in common, from their conversation rows. */
export async function countShared(db: Database, pair: RunPair): Promise<SharedCounts> {
  const rows = await db.$queryRaw<SharedCounts[]>`
    SELECT count(DISTINCT b.conversation_no)::int AS conversations,
      (count(DISTINCT b.conversation_no) FILTER (WHERE ${scored}))::int AS scored
    FROM ${joined(pair)}`;
  return rows[0] ?? { conversations: 0, scored: 0 };
}

/** A conversation and repeat with a score on both sides. */
export interface ScoredPair {
  conversation: number;
  baselineOrdinal: number;
  candidateOrdinal: number;
  /** Without the prefix; null without a theme. */
  theme: string | null;
  baseline: number;
  candidate: number;
}

interface PairColumns {
  conversation: number[];
  baselineOrdinal: number[];
  candidateOrdinal: number[];
  theme: string[];
  baseline: number[];
  candidate: number[];
}

/** All pairs in the order of the baseline. By columns: 5,000 rows of objects take three times as long to arrive. */
export async function loadScoredPairs(db: Database, pair: RunPair): Promise<ScoredPair[]> {
  const rows = await db.$queryRaw<PairColumns[]>`
    SELECT array_agg(no) AS conversation, array_agg(bo) AS "baselineOrdinal", array_agg(co) AS "candidateOrdinal",
      array_agg(theme) AS theme, array_agg(bs) AS baseline, array_agg(cs) AS candidate
    FROM (
      SELECT b.conversation_no AS no, b.ordinal AS bo, c.ordinal AS co, coalesce(b.theme, '') AS theme, b.score AS bs,
        c.score AS cs
      FROM ${joined(pair)} AND ${scored} ORDER BY b.ordinal) AS pairs HAVING count(*) > 0`;
  const columns = rows[0];
  if (columns === undefined) return [];
  const { conversation, baselineOrdinal, candidateOrdinal, theme, baseline, candidate } = columns;
  return conversation.map((no, at) => ({
    conversation: no,
    baselineOrdinal: baselineOrdinal[at] as number,
    candidateOrdinal: candidateOrdinal[at] as number,
    theme: theme[at] || null,
    baseline: baseline[at] as number,
    candidate: candidate[at] as number,
  }));
}

/**
 * Pairs by axis from the points by tag beside each conversation's score. An axis without positive points in a
 * conversation has no score there.
 */
export async function loadAxisPairs(db: Database, pair: RunPair): Promise<Map<string, ScoredAxisPair[]>> {
  const rows = await db.$queryRaw<({ tag: string } & Pick<PairColumns, 'conversation' | 'baseline' | 'candidate'>)[]>`
    SELECT bt.tag, array_agg(b.conversation_no) AS conversation, array_agg(bt.earned / bt.possible) AS baseline,
      array_agg(ct.earned / ct.possible) AS candidate
    FROM (SELECT b.conversation_no, b.tags AS b_tags, b.tag_earned AS b_earned, b.tag_possible AS b_possible,
        c.tags AS c_tags, c.tag_earned AS c_earned, c.tag_possible AS c_possible
      FROM ${joined(pair)} AND ${scored}) AS b
    CROSS JOIN LATERAL unnest(b.b_tags, b.b_earned, b.b_possible) AS bt(tag, earned, possible)
    JOIN LATERAL unnest(b.c_tags, b.c_earned, b.c_possible) AS ct(tag, earned, possible) ON ct.tag = bt.tag
    WHERE bt.tag LIKE 'axis:%' AND bt.possible > 0 AND ct.possible > 0 GROUP BY bt.tag ORDER BY bt.tag`;
  return new Map(
    rows.map(({ tag, conversation, baseline, candidate }) => [
      tag,
      conversation.map((no, at) => ({
        conversation: no,
        baseline: baseline[at] as number,
        candidate: candidate[at] as number,
      })),
    ]),
  );
}

type ScoredAxisPair = Pick<ScoredPair, 'conversation' | 'baseline' | 'candidate'>;
