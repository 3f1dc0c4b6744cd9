import { storableText } from '../healthbench/storableText.js';
import type { Queryable } from '../platform/database.js';
import type { AttemptRecord } from './callModel.js';

/** The calls for one reply or one verdict that failed. */
export interface FailedAttempts {
  teamId: string;
  runId: string;
  ordinal: number;
  /** Null: the model under test was asked. */
  criterionNo: number | null;
  failedAttempts: AttemptRecord[];
}

/** Keeps what came back from calls that failed, so that every retry and every missing verdict can be explained. */
export async function storeFailedCalls(tx: Queryable, calls: readonly FailedAttempts[]): Promise<void> {
  const data = calls.flatMap(({ teamId, runId, ordinal, criterionNo, failedAttempts }) =>
    failedAttempts.map(({ at, latencyMs, errorClass, reason, status, message, raw, usage }) => ({
      teamId,
      runId,
      ordinal,
      criterionNo,
      at,
      latencyMs: Math.round(latencyMs),
      errorClass,
      reason,
      status,
      message: storableText(message),
      raw: storableText(raw),
      ...usage,
    })),
  );
  if (data.length > 0) await tx.failedCall.createMany({ data });
}
