import { storableText } from '../healthbench/storableText.js';
import type { Queryable } from '../platform/database.js';
import type { AttemptRecord } from './callModel.js';

/** Keeps what came back from calls that failed, so that every retry and every missing verdict can be explained. */
export async function storeFailedCalls(
  tx: Queryable,
  of: { teamId: string; runId: string; ordinal: number; criterionNo: number | null },
  attempts: AttemptRecord[],
): Promise<void> {
  if (attempts.length === 0) return;
  await tx.failedCall.createMany({
    data: attempts.map((attempt) => ({
      ...of,
      at: attempt.at,
      latencyMs: Math.round(attempt.latencyMs),
      errorClass: attempt.errorClass,
      reason: attempt.reason,
      status: attempt.status,
      message: storableText(attempt.message),
      raw: storableText(attempt.raw),
      ...attempt.usage,
    })),
  });
}
