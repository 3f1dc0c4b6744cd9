import { randomUUID } from 'node:crypto';
import { type Database, Prisma, type Queryable, untilConnected } from '../platform/database.js';

/** Nobody sends a write again after so long. */
const RECEIPT_MINUTES = 5;

/**
 * Runs `write` in a transaction, again while its connection breaks. It is committed once, even when the answer of the
 * database was lost and it is sent again: what it counts is counted once. Undefined when it had been committed before,
 * or the run is gone.
 */
export function writeOnce<T>(
  db: Database,
  { teamId, runId }: { teamId: string; runId: string },
  write: (tx: Queryable) => Promise<T>,
): Promise<T | undefined> {
  const receipt = newReceipt();
  return untilConnected(() =>
    db.$transaction(async (tx) => {
      // Waits for the first transaction should that not have ended yet.
      const first = await tx.$executeRaw`
        ${receiptFrom(Prisma.sql`run WHERE run.id = ${runId}::uuid AND run.team_id = ${teamId}::uuid`, receipt)}
        ON CONFLICT DO NOTHING`;
      return first === 1 ? write(tx) : undefined;
    }),
  );
}

/** Names one write. */
export const newReceipt = (): string => randomUUID();

/** The statement that keeps the receipt of a write on a run, from rows that have its `id` and `team_id`. */
export const receiptFrom = (rows: Prisma.Sql, receipt: string): Prisma.Sql => Prisma.sql`
  INSERT INTO write_receipt (run_id, id, team_id) SELECT id, ${receipt}::uuid, team_id FROM ${rows}`;

/** The condition that this write has been committed before. */
export const hasReceipt = (runId: string, receipt: string): Prisma.Sql => Prisma.sql`
  EXISTS (SELECT 1 FROM write_receipt w WHERE w.run_id = ${runId}::uuid AND w.id = ${receipt}::uuid)`;

/** Forgets what has been written on runs of the team that are over. */
export async function forgetReceipts(tx: Queryable, teamId: string): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM write_receipt w USING run
    WHERE run.id = w.run_id AND run.team_id = ${teamId}::uuid AND run.finished_at IS NOT NULL
      AND w.at < now() - make_interval(mins => ${RECEIPT_MINUTES}::int)`;
}
