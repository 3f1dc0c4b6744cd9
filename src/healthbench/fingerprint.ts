import { type Scoring, scoringProfile } from './scoringProfile.js';

/**
 * What a difference in one part means for two scores.
 *
 * SUBJECT    the model under test and its request: what a comparison is about
 * CAUTION    the numbers may be compared with care
 * SCOPE      the two scores cover different conversations; numbers over the shared ones are not affected
 * UNKNOWN    of an imported run nobody said this part, which would be SCOPE or BREAKING if it differed
 * BREAKING   graded or scored differently: no number tells the models apart
 */
export type Severity = 'SUBJECT' | 'CAUTION' | 'SCOPE' | 'UNKNOWN' | 'BREAKING';

/** One condition under which a score came about; null: not set, so the provider's default. */
export interface FingerprintPart {
  part: string;
  value: string | null;
  /** The run was imported, and neither its file nor whoever imported it said this. */
  unknown?: true;
}

export interface FingerprintDifference {
  part: string;
  baseline: string | null;
  candidate: string | null;
  baselineKnown: boolean;
  candidateKnown: boolean;
  severity: Severity;
}

/** What may be unknown of a model of an imported run. */
export type ModelPart = 'baseUrl' | 'temperature' | 'reasoningEffort' | 'maxTokens' | 'systemMessage';

/** A model with everything that is sent to it. */
export interface FingerprintModel {
  /** Null: of an imported run. */
  baseUrl: string | null;
  model: string;
  /** Null, as the next three: not sent, so the provider's default. */
  temperature: number | null;
  reasoningEffort: string | null;
  maxTokens: number | null;
  systemMessage: string | null;
  simulated: boolean;
  /** These are null because nobody said. */
  unknown?: readonly ModelPart[];
}

export interface FingerprintInput {
  datasetSha256: string;
  sample: { method: string; size: number; seed: number | null };
  /** Of the chosen conversations, in their order. */
  selectionSha256: string;
  repeats: number;
  modelUnderTest: FingerprintModel;
  grader: FingerprintModel;
  /** Null: unknown. */
  graderPromptSha256: string | null;
  /** Where another harness wrote the grader's prompts: how, or null for unknown. */
  graderRendering?: string | null;
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
    known('graderPrompt', run.graderPromptSha256),
    { part: 'scoringProfile', value: `${run.scoring.profile} ${run.scoring.version}` },
    { part: 'lengthRule', value: lengthRulePart(run.scoring) },
    ...Object.entries({ ...RULES, ...rendering(run) }).map(([part, value]) => known(part, value)),
    { part: 'version', value: run.version },
  ];
}

/** A part that is null only where it is not known. */
const known = (part: string, value: string | null): FingerprintPart =>
  value === null ? { part, value, unknown: true } : { part, value };

const rendering = ({ graderRendering }: FingerprintInput) => (graderRendering === undefined ? {} : { graderRendering });

/** Null where the profile's number is the raw one: the constants change nothing that it stands for. */
function lengthRulePart({ profile, lengthRule }: FingerprintInput['scoring']): string | null {
  if (lengthRule === null || scoringProfile(profile)?.headline === 'RAW') return null;
  return `${lengthRule.centre} characters, ${lengthRule.penaltyPer500} per 500`;
}

function modelParts(role: string, model: FingerprintModel): FingerprintPart[] {
  const { temperature, maxTokens } = model;
  const setting = (name: ModelPart, value: string | null): FingerprintPart =>
    model.unknown?.includes(name)
      ? { part: `${role}.${name}`, value: null, unknown: true }
      : { part: `${role}.${name}`, value };
  return [
    setting('baseUrl', model.baseUrl),
    { part: `${role}.model`, value: model.model },
    setting('temperature', temperature === null ? null : String(temperature)),
    setting('reasoningEffort', model.reasoningEffort),
    setting('maxTokens', maxTokens === null ? null : String(maxTokens)),
    setting('systemMessage', model.systemMessage),
    { part: `${role}.simulated`, value: String(model.simulated) },
  ];
}

const gravest: readonly Severity[] = ['BREAKING', 'UNKNOWN', 'SCOPE', 'CAUTION', 'SUBJECT'];

/**
 * The parts in which two fingerprints differ, the gravest first, else in the order of the baseline's parts. A part
 * that only one of them has differs from null. What is unknown is equal to nothing, not even to another unknown, where
 * it matters for the numbers.
 */
export function fingerprintDifferences(
  baseline: readonly FingerprintPart[],
  candidate: readonly FingerprintPart[],
): FingerprintDifference[] {
  const [of, to] = [byPart(baseline), byPart(candidate)];
  return [...new Set([...of.keys(), ...to.keys()])]
    .map((part) => differenceIn(part, of.get(part), to.get(part)))
    .filter((difference) => difference !== null)
    .sort((a, b) => gravest.indexOf(a.severity) - gravest.indexOf(b.severity));
}

function differenceIn(part: string, of?: FingerprintPart, to?: FingerprintPart): FingerprintDifference | null {
  const [baselineKnown, candidateKnown] = [!of?.unknown, !to?.unknown];
  const [baseline, candidate] = [of?.value ?? null, to?.value ?? null];
  const own = severityOf(part);
  const matters = own === 'SCOPE' || own === 'BREAKING';
  const severity = matters && !(baselineKnown && candidateKnown) ? 'UNKNOWN' : own;
  if (severity !== 'UNKNOWN' && baseline === candidate && baselineKnown === candidateKnown) return null;
  return { part, baseline, candidate, baselineKnown, candidateKnown, severity };
}

const byPart = (parts: readonly FingerprintPart[]) => new Map(parts.map((part) => [part.part, part]));

/** Whether the scores as they stand may be put side by side: nothing but the model and what asks for care differs. */
export function isComparable(differences: readonly FingerprintDifference[]): boolean {
  return differences.every(({ severity }) => severity === 'SUBJECT' || severity === 'CAUTION');
}
