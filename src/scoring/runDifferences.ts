import {
  type FingerprintDifference,
  type FingerprintPart,
  fingerprintDifferences,
  isComparable,
} from '../healthbench/fingerprint.js';
import type { RunRow } from '../runs/run.queries.js';
import { partsOf } from '../runs/runFingerprint.js';

export interface RunDifferences {
  /** Whether the scores of the two runs may be put side by side as they stand. */
  comparable: boolean;
  list: FingerprintDifference[];
  /** Both grade the same replies: one is a regrade of the other, or both of a third. */
  sameReplies: boolean;
}

/** In which conditions two runs differ: what was frozen at their starts, and what became of them. */
export function differencesOf(baseline: RunRow, candidate: RunRow): RunDifferences {
  const list = fingerprintDifferences(
    [...partsOf(baseline), ...outcomeParts(baseline)],
    [...partsOf(candidate), ...outcomeParts(candidate)],
  );
  // Whatever is unknown of a run, it is the same in the run itself.
  const itself = baseline.id === candidate.id;
  const known = itself ? [] : list;
  return { comparable: isComparable(known), list: known, sameReplies: repliesOf(baseline) === repliesOf(candidate) };
}

const repliesOf = (run: RunRow): string => run.regradeOfId ?? run.id;

function outcomeParts(run: RunRow): FingerprintPart[] {
  return [
    { part: 'coverage', value: String(coverageOf(run)) },
    { part: 'status', value: run.status },
  ];
}

/** Scored / selected conversations, 0 to 1. */
export const coverageOf = (run: RunRow): number => (run.progress?.scored ?? 0) / run.conversationCount;
