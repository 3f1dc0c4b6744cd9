import { Prisma } from '../platform/database.js';

/**
 * To be joined where a run is frozen: of each conversation's rubric the number of criteria, and the score without any
 * verdict, with all that is missing at its worst and at its best.
 *
 * @param no the number of the conversation
 */
export const rubricBounds = (datasetId: string, no: Prisma.Sql): Prisma.Sql => Prisma.sql`
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS criteria, 1 AS best,
      coalesce(sum(least(r.points, 0)) / nullif(sum(greatest(r.points, 0)), 0), 0) AS worst
    FROM rubric_criterion r WHERE r.dataset_id = ${datasetId}::uuid AND r.conversation_no = ${no}) AS rubric`;
