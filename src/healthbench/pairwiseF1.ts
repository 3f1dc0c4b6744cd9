import type { VerdictCounts } from './agreement.js';

/** A share, and what it is a share of. */
export interface Share {
  value: number;
  n: number;
}

/** How one grader's verdicts reproduce another's, for one of the two verdicts. Null: nothing to take a share of. */
export interface ClassMetrics {
  precision: Share | null;
  recall: Share | null;
  f1: Share | null;
}

export interface PairwiseMetrics {
  met: ClassMetrics;
  notMet: ClassMetrics;
  /** Means of both verdicts; null where one of the two has none. */
  balanced: ClassMetrics;
}

/**
 * The metrics of HealthBench's meta-evaluation, over pairs of verdicts on the same criterion of the same reply: the
 * second grader is judged by the first, each pair counts once, and there is no majority vote. `balanced.f1` is the
 * number that the meta-evaluation reports. Source: simple-evals, pairwise metrics of its meta-evaluation.
 */
export function pairwiseMetrics({ bothMet, onlyFirstMet, onlySecondMet, neitherMet }: VerdictCounts): PairwiseMetrics {
  const met = classMetrics(bothMet, onlySecondMet, onlyFirstMet);
  const notMet = classMetrics(neitherMet, onlyFirstMet, onlySecondMet);
  const balanced = {
    precision: balance(met.precision, notMet.precision),
    recall: balance(met.recall, notMet.recall),
    f1: balance(met.f1, notMet.f1),
  };
  return { met, notMet, balanced };
}

/** @param hits both say so @param extra only the judged grader @param missed only the other */
function classMetrics(hits: number, extra: number, missed: number): ClassMetrics {
  const precision = share(hits, hits + extra);
  const recall = share(hits, hits + missed);
  if (precision === null || recall === null) return { precision, recall, f1: null };
  const n = hits + extra + missed;
  // 2PR / (P + R), and 0 where both are 0.
  return { precision, recall, f1: { value: (2 * hits) / (n + hits), n } };
}

const share = (part: number, n: number): Share | null => (n === 0 ? null : { value: part / n, n });

function balance(a: Share | null, b: Share | null): Share | null {
  return a === null || b === null ? null : { value: (a.value + b.value) / 2, n: a.n + b.n };
}

/** The F1 values of both verdicts and their mean, 0 to 1; what has none is null, and why. */
export interface PairwiseF1 {
  met: number | null;
  notMet: number | null;
  balanced: number | null;
  unavailableReason: string | null;
}

/** F1 is the same whichever of the two graders is judged by the other. */
export function pairwiseF1(counts: VerdictCounts): PairwiseF1 {
  const { met, notMet, balanced } = pairwiseMetrics(counts);
  const silent = [met.f1 === null ? 'met' : '', notMet.f1 === null ? 'not met' : ''].filter((word) => word !== '');
  const reason = silent.map((word) => `One of the graders never said “${word}”.`).join(' ');
  return {
    met: met.f1?.value ?? null,
    notMet: notMet.f1?.value ?? null,
    balanced: balanced.f1?.value ?? null,
    unavailableReason: reason === '' ? null : reason,
  };
}
