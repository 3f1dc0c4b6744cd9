import { createHash } from 'node:crypto';
import { type FingerprintInput, type FingerprintPart, fingerprint, severityOf } from '../healthbench/fingerprint.js';
import type { Prisma } from '../platform/database.js';
import { VERSION } from '../version.js';

/** The fingerprint of a run that starts now, as its row keeps it. */
export function frozenFingerprint(run: Omit<FingerprintInput, 'version'>): Prisma.InputJsonValue {
  return fingerprint({ ...run, version: VERSION }).map((part) => ({ ...part }));
}

/** Identity of an ordered choice of conversations: sha256 of their numbers, joined by commas. */
export function selectionSha256(numbers: readonly number[]): string {
  return createHash('sha256').update(numbers.join(',')).digest('hex');
}

/** The parts that a run's row keeps. */
export const partsOf = (run: { fingerprint: unknown }): FingerprintPart[] => run.fingerprint as FingerprintPart[];

/** One part of a run's fingerprint; null when it is not set. */
export function partOf(run: { fingerprint: unknown }, part: string): string | null {
  return partsOf(run).find((other) => other.part === part)?.value ?? null;
}

/**
 * One key for all runs whose scores are comparable: sha256 of every part but the model under test and what only asks
 * for care. Runs with the same key belong on one chart; one of which such a part is unknown has a key of its own.
 */
export function comparisonKey(runId: string, parts: readonly FingerprintPart[]): string {
  const kept = parts.filter(({ part }) => ['SCOPE', 'BREAKING'].includes(severityOf(part)));
  return createHash('sha256')
    .update(JSON.stringify(kept.map(({ part, value, unknown }) => [part, unknown ? runId : value])))
    .digest('hex');
}
