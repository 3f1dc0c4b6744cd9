import { type Scoring, scoringProfile } from './scoringProfile.js';

/**
 * What a difference in one part means for two scores.
 *
 * SUBJECT    the model under test and its request: what a comparison is about
 * CAUTION    the numbers may be compared with care
 * SCOPE      the two scores cover different conversations; numbers over the shared ones are not affected
 * BREAKING   graded or scored differently: no number tells the models apart
 */
export type Severity = 'SUBJECT' | 'CAUTION' | 'SCOPE' | 'BREAKING';

/** One condition under which a score came about; null: not set, so the provider's default. */
export interface FingerprintPart {
  part: string;
  value: string | null;
}

export interface FingerprintDifference {
  part: string;
  baseline: string | null;
  candidate: string | null;
  severity: Severity;
}

/** A model with everything that is sent to it. */
export interface FingerprintModel {
  baseUrl: string;
  model: string;
  /** Null, as the next three: not sent, so the provider's default. */
  temperature: number | null;
  reasoningEffort: string | null;
  maxTokens: number | null;
  systemMessage: string | null;
  simulated: boolean;
}

export interface FingerprintInput {
  datasetSha256: string;
  sample: { method: string; size: number; seed: number | null };
  /** Of the chosen conversations, in their order. */
  selectionSha256: string;
  repeats: number;
  modelUnderTest: FingerprintModel;
  grader: FingerprintModel;
  graderPromptSha256: string;
  scoring: Pick<Scoring, 'profile' | 'version' | 'lengthRule'>;
  /** Of Assay. */
  version: string;
}

/**
 * Rules that stand in the code and not in a run's settings. A change of one of them gets a new word here, so that
 * runs from before and after it do not pass for alike.
 */
export const RULES = {
  /** Turns as "role: content", a blank line between them, the system message first; criteria as "[points] text". */
  graderRendering: 'simple-evals',
  /** Only a boolean `criteria_met` is a verdict; a conversation with an ungraded criterion has no score. */
  verdictRules: 'boolean-or-ungraded',
  /** The mean first, then the clip to 0..1; a tag without positive points leaves its conversation out. */
  aggregation: 'clip-last',
} as const;

/** By part; a part that is not listed is CAUTION. */
const severities: Readonly<Record<string, Severity>> = {
  dataset: 'SCOPE',
  sampleMethod: 'SCOPE',
  sampleSize: 'SCOPE',
  sampleSeed: 'SCOPE',
  conversations: 'SCOPE',
  repeats: 'SCOPE',
  coverage: 'SCOPE',
  'modelUnderTest.baseUrl': 'SUBJECT',
  'modelUnderTest.model': 'SUBJECT',
  'modelUnderTest.temperature': 'SUBJECT',
  'modelUnderTest.reasoningEffort': 'SUBJECT',
  'modelUnderTest.maxTokens': 'SUBJECT',
  'modelUnderTest.systemMessage': 'SUBJECT',
  'modelUnderTest.simulated': 'BREAKING',
  'grader.model': 'BREAKING',
  'grader.temperature': 'BREAKING',
  'grader.reasoningEffort': 'BREAKING',
  'grader.maxTokens': 'BREAKING',
  'grader.systemMessage': 'BREAKING',
  'grader.simulated': 'BREAKING',
  graderPrompt: 'BREAKING',
  graderRendering: 'BREAKING',
  verdictRules: 'BREAKING',
  aggregation: 'BREAKING',
  scoringProfile: 'BREAKING',
  lengthRule: 'BREAKING',
};

/** What a difference in this part means. */
export const severityOf = (part: string): Severity => severities[part] ?? 'CAUTION';

/** The parts that two scores must share to be comparable. Source: comparability key of the HealthBench facts, 10. */
export function fingerprint(run: FingerprintInput): FingerprintPart[] {
  const { sample } = run;
  return [
    { part: 'dataset', value: run.datasetSha256 },
    { part: 'sampleMethod', value: sample.method },
    { part: 'sampleSize', value: String(sample.size) },
    { part: 'sampleSeed', value: sample.seed === null ? null : String(sample.seed) },
    { part: 'conversations', value: run.selectionSha256 },
    { part: 'repeats', value: String(run.repeats) },
    ...modelParts('modelUnderTest', run.modelUnderTest),
    ...modelParts('grader', run.grader),
    { part: 'graderPrompt', value: run.graderPromptSha256 },
    { part: 'scoringProfile', value: `${run.scoring.profile} ${run.scoring.version}` },
    { part: 'lengthRule', value: lengthRulePart(run.scoring) },
    ...Object.entries(RULES).map(([part, value]) => ({ part, value })),
    { part: 'version', value: run.version },
  ];
}

/** Null where the profile's number is the raw one: the constants change nothing that it stands for. */
function lengthRulePart({ profile, lengthRule }: FingerprintInput['scoring']): string | null {
  if (lengthRule === null || scoringProfile(profile)?.headline === 'RAW') return null;
  return `${lengthRule.centre} characters, ${lengthRule.penaltyPer500} per 500`;
}

function modelParts(role: string, model: FingerprintModel): FingerprintPart[] {
  const { temperature, maxTokens } = model;
  return [
    { part: `${role}.baseUrl`, value: model.baseUrl },
    { part: `${role}.model`, value: model.model },
    { part: `${role}.temperature`, value: temperature === null ? null : String(temperature) },
    { part: `${role}.reasoningEffort`, value: model.reasoningEffort },
    { part: `${role}.maxTokens`, value: maxTokens === null ? null : String(maxTokens) },
    { part: `${role}.systemMessage`, value: model.systemMessage },
    { part: `${role}.simulated`, value: String(model.simulated) },
  ];
}

const gravest: readonly Severity[] = ['BREAKING', 'SCOPE', 'CAUTION', 'SUBJECT'];

/**
 * The parts in which two fingerprints differ, the gravest first, else in the order of the baseline's parts. A part
 * that only one of them knows differs from null.
 */
export function fingerprintDifferences(
  baseline: readonly FingerprintPart[],
  candidate: readonly FingerprintPart[],
): FingerprintDifference[] {
  const [of, to] = [byPart(baseline), byPart(candidate)];
  return [...new Set([...of.keys(), ...to.keys()])]
    .map((part) => ({ part, baseline: of.get(part) ?? null, candidate: to.get(part) ?? null }))
    .filter((part) => part.baseline !== part.candidate)
    .map((part) => ({ ...part, severity: severityOf(part.part) }))
    .sort((a, b) => gravest.indexOf(a.severity) - gravest.indexOf(b.severity));
}

const byPart = (parts: readonly FingerprintPart[]) => new Map(parts.map(({ part, value }) => [part, value]));

/** Whether the scores as they stand may be put side by side: nothing but the model and what asks for care differs. */
export function isComparable(differences: readonly FingerprintDifference[]): boolean {
  return differences.every(({ severity }) => severity === 'SUBJECT' || severity === 'CAUTION');
}
