import type { Hits, TagHits } from '../healthbench/hitRates.js';
import type { VerdictFlips } from '../healthbench/repeatStatistics.js';
import type { TagPoints } from '../healthbench/score.js';
import type { Queryable, RunConversationStatus } from '../platform/database.js';

/** A conversation of a run, one repeat, with all that aggregates need of it: no verdict is read for them. */
export interface AggregateRow {
  conversationNo: number;
  repeat: number;
  status: RunConversationStatus;
  score: number | null;
  worst: number;
  best: number;
  replyLength: number | null;
  /** The conversation's own tags. */
  tags: string[];
  tagPoints: TagPoints[];
  hits: Hits;
  tagHits: TagHits[];
}

/** In the order of the SELECT below. */
type Row = [
  conversationNo: number,
  repeat: number,
  status: RunConversationStatus,
  score: number | null,
  worst: number,
  best: number,
  replyLength: number | null,
  tags: string[],
  itemTags: string[] | null,
  earned: number[] | null,
  possible: number[] | null,
  hits: number[] | null,
  tagHits: number[] | null,
];

/**
 * All conversations of a run, in its order. They come as one JSON document: as 5,000 rows with six arrays each,
 * reading them took 180 ms of this process' time.
 */
export async function loadAggregateRows(db: Queryable, teamId: string, runId: string): Promise<AggregateRow[]> {
  const found = await db.$queryRaw<{ rows: Row[] | null }[]>`
    SELECT json_agg(json_build_array(rc.conversation_no, rc.repeat, rc.status, rc.score, rc.worst_score, rc.best_score,
      rc.reply_length, c.tags, rc.tags, rc.tag_earned, rc.tag_possible, rc.hits, rc.tag_hits) ORDER BY rc.ordinal) AS rows
    FROM run_conversation rc
    JOIN run ON run.id = rc.run_id
    JOIN conversation c ON c.dataset_id = run.dataset_id AND c.no = rc.conversation_no
    WHERE rc.run_id = ${runId}::uuid AND rc.team_id = ${teamId}::uuid`;
  return (found[0]?.rows ?? []).map(aggregateRow);
}

function aggregateRow(row: Row): AggregateRow {
  const [conversationNo, repeat, status, score, worst, best, replyLength, tags, itemTags, earned, possible] = row;
  const [, , , , , , , , , , , hits, tagHits] = row;
  const scored = status === 'SCORED' ? (itemTags ?? []) : [];
  return {
    ...{ conversationNo, repeat, status, score, worst, best, replyLength, tags },
    tagPoints: scored.map((tag, i) => ({ tag, earned: earned?.[i] ?? 0, possible: possible?.[i] ?? 0 })),
    hits: hitsAt(hits, 0),
    tagHits: (itemTags ?? []).map((tag, i) => ({ tag, ...hitsAt(tagHits, 4 * i) })),
  };
}

/** Four numbers, as settleConversation writes them. */
function hitsAt(stored: number[] | null, at: number): Hits {
  const [positiveMet = 0, positiveGraded = 0, negativeMet = 0, negativeGraded = 0] = stored?.slice(at, at + 4) ?? [];
  return { positiveMet, positiveGraded, negativeMet, negativeGraded };
}

/** How often two repeats of a run disagree about a criterion. Reads every verdict: only when a run ends. */
export async function loadVerdictFlips(db: Queryable, teamId: string, runId: string): Promise<VerdictFlips> {
  const rows = await db.$queryRaw<{ differing: number; pairs: number }[]>`
    SELECT coalesce(sum(met * (graded - met)), 0)::float8 AS differing,
      coalesce(sum(graded * (graded - 1) / 2), 0)::float8 AS pairs
    FROM (
      SELECT count(*) FILTER (WHERE v.criteria_met) AS met, count(*) AS graded
      FROM criterion_verdict v JOIN run_conversation rc USING (run_id, ordinal)
      WHERE v.run_id = ${runId}::uuid AND v.team_id = ${teamId}::uuid
      GROUP BY rc.conversation_no, v.criterion_no) AS criteria`;
  const { differing, pairs } = rows[0] ?? { differing: 0, pairs: 0 };
  return { differing, pairs, rate: pairs > 0 ? differing / pairs : null };
}
