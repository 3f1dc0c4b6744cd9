import { createHash } from 'node:crypto';
import { Conflict, InvalidInput } from '../errors.js';
import type { Queryable } from '../platform/database.js';

export interface IdempotentInput {
  teamId: string;
  operation: string;
  /** Null or undefined: the caller does not ask for it. */
  key: string | null | undefined;
  input: unknown;
}

/**
 * The id that the first request with this key returned, or null when this is the first. Call it first in
 * the transaction of the effect: a second request waits here until the first has committed or failed.
 * Throws Conflict when the key came with another input before.
 */
export async function claimIdempotencyKey(tx: Queryable, request: IdempotentInput): Promise<string | null> {
  const { teamId, operation, key } = request;
  if (key === null || key === undefined) return null;
  if (key === '' || key.length > 200) {
    throw new InvalidInput('must have 1 to 200 characters.', ['idempotencyKey']);
  }
  // Postgres would refuse the one, and take different halves of surrogate pairs for the same.
  if (key.includes('\u0000') || !key.isWellFormed()) {
    throw new InvalidInput('holds a zero byte or half of a surrogate pair.', ['idempotencyKey']);
  }
  const hash = createHash('sha256').update(JSON.stringify(request.input)).digest();
  const inserted = await tx.$executeRaw`
    INSERT INTO idempotent_request (team_id, operation, key, input_sha256, result_id)
    VALUES (${teamId}::uuid, ${operation}, ${key}, ${hash}, '') ON CONFLICT DO NOTHING`;
  if (inserted === 1) return null;
  const first = await tx.idempotentRequest.findUniqueOrThrow({
    where: { teamId_operation_key: { teamId, operation, key } },
  });
  if (!hash.equals(Buffer.from(first.inputSha256))) {
    throw new Conflict('This idempotency key was used before with another input: use another key for it.', [
      'idempotencyKey',
    ]);
  }
  return first.resultId;
}

/** What the first request with the key returned. Throws Conflict when that has been deleted since. */
export function firstResult<T>(found: T | null): T {
  if (found !== null) return found;
  throw new Conflict('What this idempotency key returned has been deleted since: use another key.', ['idempotencyKey']);
}

/** Notes what the request with this key returned; in the same transaction. */
export async function keepIdempotentResult(tx: Queryable, request: IdempotentInput, resultId: string): Promise<void> {
  const { teamId, operation, key } = request;
  if (key === null || key === undefined) return;
  await tx.idempotentRequest.update({
    where: { teamId_operation_key: { teamId, operation, key } },
    data: { resultId },
  });
}
