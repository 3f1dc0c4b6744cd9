import type { VerdictCounts } from '../healthbench/agreement.js';
import { type Database, Prisma } from '../platform/database.js';
import type { Connection, CursorKeys, Page } from '../platform/relay/page.js';
import { joined, type RunPair } from './runPair.js';

/** Criteria with a verdict in both runs. The conversations are chosen first, so each run's verdicts are read once. */
const bothVerdicts = (pair: RunPair) => Prisma.sql`
  (SELECT b.conversation_no, b.repeat, b.ordinal AS b_ordinal, c.ordinal AS c_ordinal FROM ${joined(pair)}) AS p
  JOIN criterion_verdict vb ON vb.run_id = ${pair.baseline.id}::uuid AND vb.ordinal = p.b_ordinal
  JOIN criterion_verdict vc ON vc.run_id = ${pair.candidate.id}::uuid AND vc.ordinal = p.c_ordinal
    AND vc.criterion_no = vb.criterion_no
  JOIN rubric_criterion r ON r.dataset_id = ${pair.baseline.datasetId}::uuid
    AND r.conversation_no = p.conversation_no AND r.no = vb.criterion_no`;

export interface VerdictGroup {
  /** Of the criteria and their conversations. */
  tags: string[];
  positive: boolean;
  /** Absolute points of one criterion times its number, where only one side met it. */
  onlyFirstPoints: number;
  onlySecondPoints: number;
  counts: VerdictCounts;
}

interface GroupRow extends VerdictCounts {
  tags: string[];
  conversationTags: string[];
  positive: boolean;
  onlyFirstPoints: number;
  onlySecondPoints: number;
}

/** How the verdicts of two runs on the same criteria agree, by combination of tags: some hundred rows. */
export async function loadVerdictGroups(db: Database, pair: RunPair): Promise<VerdictGroup[]> {
  const rows = await db.$queryRaw<GroupRow[]>`
    SELECT r.tags, cv.tags AS "conversationTags", r.points > 0 AS positive,
      (count(*) FILTER (WHERE vb.criteria_met AND vc.criteria_met))::int AS "bothMet",
      (count(*) FILTER (WHERE vb.criteria_met AND NOT vc.criteria_met))::int AS "onlyFirstMet",
      (count(*) FILTER (WHERE NOT vb.criteria_met AND vc.criteria_met))::int AS "onlySecondMet",
      (count(*) FILTER (WHERE NOT vb.criteria_met AND NOT vc.criteria_met))::int AS "neitherMet",
      coalesce(sum(abs(r.points)) FILTER (WHERE vb.criteria_met AND NOT vc.criteria_met), 0) AS "onlyFirstPoints",
      coalesce(sum(abs(r.points)) FILTER (WHERE NOT vb.criteria_met AND vc.criteria_met), 0) AS "onlySecondPoints"
    FROM ${bothVerdicts(pair)}
    JOIN conversation cv ON cv.dataset_id = r.dataset_id AND cv.no = r.conversation_no
    GROUP BY r.tags, cv.tags, r.points > 0`;
  return rows.map(({ tags, conversationTags, positive, onlyFirstPoints, onlySecondPoints, ...counts }) => ({
    tags: [...tags, ...conversationTags],
    positive,
    onlyFirstPoints,
    onlySecondPoints,
    counts,
  }));
}

export interface FlipRow {
  conversationNo: number;
  repeat: number;
  criterionNo: number;
  text: string;
  points: number;
  tags: string[];
  axis: string | null;
  baselineOrdinal: number;
  candidateOrdinal: number;
  candidateMet: boolean;
}

export type FlipDirection = 'GAINED' | 'LOST';

/** A page of the criteria whose verdict differs, those that move the most points first. */
export async function listFlips(
  db: Database,
  pair: RunPair,
  page: Page,
  direction: FlipDirection | null,
): Promise<Connection<FlipRow>> {
  const where = Prisma.sql`vb.criteria_met <> vc.criteria_met AND ${moved(direction)}`;
  const rows = await db.$queryRaw<FlipRow[]>`
    SELECT p.conversation_no AS "conversationNo", p.repeat, r.no AS "criterionNo", r.text, r.points, r.tags, r.axis,
      p.b_ordinal AS "baselineOrdinal", p.c_ordinal AS "candidateOrdinal", vc.criteria_met AS "candidateMet"
    FROM ${bothVerdicts(pair)} WHERE ${where} AND ${afterCursor(page.after)}
    ORDER BY abs(r.points) DESC, p.conversation_no, p.repeat, r.no LIMIT ${page.limit}`;
  const keys = (row: FlipRow) => [Math.abs(row.points), row.conversationNo, row.repeat, row.criterionNo];
  return page.connection(rows, keys, async () => {
    const counted = await db.$queryRaw<{ n: number }[]>`
      SELECT count(*)::int AS n FROM ${bothVerdicts(pair)} WHERE ${where}`;
    return counted[0]?.n ?? 0;
  });
}

/** A point is gained when a positive criterion is met now, or a negative one no longer. */
function moved(direction: FlipDirection | null): Prisma.Sql {
  if (direction === null) return Prisma.sql`true`;
  const gained = Prisma.sql`(r.points > 0) = vc.criteria_met`;
  return direction === 'GAINED' ? gained : Prisma.sql`NOT (${gained})`;
}

function afterCursor(after: CursorKeys | null): Prisma.Sql {
  if (after === null) return Prisma.sql`true`;
  const [points, conversationNo, repeat, criterionNo] = after.map(Number);
  return Prisma.sql`(abs(r.points) < ${points} OR (abs(r.points) = ${points}
    AND (p.conversation_no, p.repeat, r.no) > (${conversationNo}::int, ${repeat}::int, ${criterionNo}::int)))`;
}
