import { minimalDetectableDifference } from '../healthbench/power.js';
import type { Interval } from '../healthbench/scoreStatistics.js';
import { deviationOf } from '../healthbench/standardError.js';
import type { RunType } from '../runs/run.types.js';
import type { Aggregates } from './score.queries.js';
import type { LengthAdjustedScore, RunScoreType, Interval as ShownInterval } from './score.types.js';

/** The aggregates of a run as the API shows them, with every reason for what is null. */
export function scoreType(run: RunType, aggregates: Aggregates): RunScoreType {
  const { interval, adjusted, repeats, ...rest } = aggregates;
  const { conversationsTotal, criteriaTotal, criteriaGraded } = run.progress;
  const lengthAdjustment = shownAdjustment(run, adjusted);
  return {
    ...rest,
    ...detectable(rest.standardError, rest.conversations),
    interval: shownInterval(interval),
    coverage: rest.n / conversationsTotal,
    criteriaCoverage: criteriaGraded / criteriaTotal,
    lengthAdjusted: lengthAdjustment?.value ?? null,
    lengthAdjustment,
    lengthAdjustedUnavailableReason: lengthAdjustment === null ? noAdjustment(run) : null,
    headline: run.scoring.headline,
    repeats,
    repeatsUnavailableReason: repeats === null ? noRepeats(run) : null,
    grader: run.grader.model,
    graderPromptSha256: run.graderPrompt?.sha256 ?? null,
    scoringProfile: run.scoringProfile,
    final: run.status === 'COMPLETED',
  };
}

export function shownInterval(interval: Interval | null): ShownInterval | null {
  return interval === null ? null : { ...interval, confidence: 0.95 };
}

function shownAdjustment(run: RunType, adjusted: Aggregates['adjusted']): LengthAdjustedScore | null {
  const rule = run.scoring.lengthRule;
  if (adjusted === null || rule === null) return null;
  return { ...adjusted, interval: shownInterval(adjusted.interval), rule };
}

function noAdjustment(run: RunType): string {
  return run.scoring.lengthRule === null
    ? 'No published length constants belong to this dataset, and none were given when the run was started.'
    : 'The length of a scored reply is not known.';
}

function noRepeats(run: RunType): string {
  return run.repeats === 1 ? 'The run has no repeats.' : 'Computed when the run is completed.';
}

/** Two independent samples of this size: the variance of their difference is twice that of one mean. */
function detectable(standardError: number | null, conversations: number) {
  if (standardError === null || standardError === 0) {
    const smallestDifferenceUnavailableReason =
      standardError === null ? 'It takes at least two conversations.' : 'All conversations have the same score.';
    return { smallestDifference: null, smallestDifferenceUnavailableReason };
  }
  const deviation = deviationOf(standardError, conversations) * Math.SQRT2;
  return {
    smallestDifference: minimalDetectableDifference(deviation, conversations),
    smallestDifferenceUnavailableReason: null,
  };
}
