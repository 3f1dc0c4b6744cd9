import { InvalidInput } from '../errors.js';
import { officialFile } from '../healthbench/officialFiles.js';
import {
  LENGTH_RULES,
  type LengthRule,
  type LengthVariant,
  presetDeviations,
  SCORING_PROFILES,
  type Scoring,
  type ScoringProfile,
  scoringProfile,
} from '../healthbench/scoringProfile.js';
import type { Dataset } from '../platform/database.js';
import type { ModelSettings } from './modelSettings.js';

export interface ScoringInput {
  /** Whose published constants to take where the dataset is no official file. */
  lengthVariant?: Exclude<LengthVariant, 'CUSTOM'> | null;
  /** Own constants, both or neither. */
  lengthCentre?: number | null;
  lengthPenaltyPer500?: number | null;
  /** Accepts what deviates from the profile's preset, and marks the run for it. */
  notComparable?: boolean | null;
}

type DatasetFacts = Pick<Dataset, 'sha256' | 'format'>;

/** The profile of this name; `healthbench` for null. Throws InvalidInput. */
export function requireProfile(name: string | null): ScoringProfile {
  const profile = scoringProfile(name ?? SCORING_PROFILES[0].name);
  if (profile !== null) return profile;
  const names = SCORING_PROFILES.map((one) => one.name).join(', ');
  throw new InvalidInput(`must be one of: ${names}.`, ['scoringProfile']);
}

/**
 * How a run is scored, to be frozen with it. Throws InvalidInput for constants that cannot be meant, for a
 * length-adjusted profile without constants, and, unless `notComparable`, for what leaves the profile's preset.
 */
export function chooseScoring(
  profile: ScoringProfile,
  dataset: DatasetFacts,
  grader: ModelSettings,
  input: ScoringInput,
): Scoring {
  const notComparable = input.notComparable ?? false;
  const lengthRule = chooseLengthRule(profile, dataset, input, notComparable);
  if (lengthRule === null && profile.headline === 'LENGTH_ADJUSTED') {
    throw new InvalidInput(
      'The dataset is no official HealthBench file: say whose length constants to take (MAIN, HARD, CONSENSUS or PROFESSIONAL).',
      ['scoring', 'lengthVariant'],
    );
  }
  const { model: graderModel, reasoningEffort, temperature, systemMessage } = grader;
  const facts = { graderModel, reasoningEffort, temperature, systemMessage, datasetFormat: dataset.format, lengthRule };
  const deviations = presetDeviations(profile.name, facts);
  const [first] = deviations;
  if (first !== undefined && !notComparable) {
    const list = deviations.map(({ message }) => message).join('; ');
    throw new InvalidInput(
      `${profile.name} is one setting and not several: ${list}. Or set scoring.notComparable to true.`,
      first.path,
    );
  }
  const messages = deviations.map(({ message }) => message);
  return { profile: profile.name, version: profile.version, lengthRule, notComparable, deviations: messages };
}

/**
 * How a regrade is scored: as its source, with what the other grader deviates from the profile's preset. It is not
 * refused for that, since another grader is what was asked for; it carries the deviations.
 */
export function regradeScoring(source: Scoring, datasetFormat: string, grader: ModelSettings): Scoring {
  const { model: graderModel, reasoningEffort, temperature, systemMessage } = grader;
  const facts = {
    graderModel,
    reasoningEffort,
    temperature,
    systemMessage,
    datasetFormat,
    lengthRule: source.lengthRule,
  };
  const deviations = presetDeviations(source.profile, facts).map(({ message }) => message);
  return { ...source, deviations, notComparable: source.notComparable || deviations.length > 0 };
}

/** The variant whose constants belong to a dataset, or null: by its sha256, Professional by its format. */
export function datasetVariant({ sha256, format }: DatasetFacts): Exclude<LengthVariant, 'CUSTOM'> | null {
  if (format === 'PROFESSIONAL') return 'PROFESSIONAL';
  const variant = officialFile(sha256)?.variant;
  return variant === undefined || variant === 'META_EVAL' ? null : variant;
}

function chooseLengthRule(
  profile: ScoringProfile,
  dataset: DatasetFacts,
  input: ScoringInput,
  notComparable: boolean,
): LengthRule | null {
  const custom = customRule(input);
  if (custom !== null) return custom;
  const own = datasetVariant(dataset);
  const named = input.lengthVariant ?? null;
  if (named !== null && own !== null && named !== own && !notComparable) {
    const message = `The dataset is the official ${own} file: leave lengthVariant out, or set notComparable to true.`;
    throw new InvalidInput(message, ['scoring', 'lengthVariant']);
  }
  const variant = named ?? own ?? (profile.name === 'healthbench-professional' ? 'PROFESSIONAL' : null);
  return variant === null ? null : LENGTH_RULES[variant];
}

/** The constants that were given, or null. Those that equal published ones are the published ones. */
function customRule({ lengthVariant, lengthCentre, lengthPenaltyPer500 }: ScoringInput): LengthRule | null {
  const given: [string, number | null | undefined][] = [
    ['lengthCentre', lengthCentre],
    ['lengthPenaltyPer500', lengthPenaltyPer500],
  ];
  if (given.every(([, value]) => value == null)) return null;
  for (const [name, value] of given) {
    if (value == null)
      throw new InvalidInput('lengthCentre and lengthPenaltyPer500 belong together.', ['scoring', name]);
    if (!(value >= 0 && value <= 1e9)) throw new InvalidInput('must be between 0 and 1e9.', ['scoring', name]);
  }
  if (lengthVariant != null) {
    throw new InvalidInput('Give either a variant or constants of your own.', ['scoring', 'lengthVariant']);
  }
  const [centre, penaltyPer500] = [lengthCentre as number, lengthPenaltyPer500 as number];
  const published = Object.values(LENGTH_RULES).find(
    (rule) => rule.centre === centre && rule.penaltyPer500 === penaltyPer500,
  );
  return published ?? { variant: 'CUSTOM', centre, penaltyPer500 };
}

/** As the run's row keeps it. */
export const scoringColumn = (scoring: Scoring) => ({
  ...scoring,
  lengthRule: scoring.lengthRule && { ...scoring.lengthRule },
});
