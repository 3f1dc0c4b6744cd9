import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ModelPriceType } from '../endpoints/modelEndpoint.types.js';
import type { FingerprintPart } from '../healthbench/fingerprint.js';
import { hitRate } from '../healthbench/hitRates.js';
import type { Scoring } from '../healthbench/scoringProfile.js';
import { RunConversationStatus, RunStatus } from '../platform/database.js';
import { connectionType } from '../platform/relay/connection.js';
import { globalId } from '../platform/relay/globalId.js';
import { Node } from '../platform/relay/node.type.js';
import { DateTime } from '../platform/relay/scalars.js';
import type { ModelSettings } from './modelSettings.js';
import { progressOf } from './progress.js';
import type { RunRow } from './run.queries.js';
import type { RunConversationRow } from './runConversation.queries.js';
import { partsOf } from './runFingerprint.js';
import { originOf, type RunOrigin } from './runOrigin.js';
import { HitRate, RunScoringType, shownScoring } from './scoring.types.js';
import { RunUsage, runUsage } from './usage.types.js';

registerEnumType(RunStatus, { name: 'RunStatus' });
registerEnumType(RunConversationStatus, {
  name: 'RunConversationStatus',
  description:
    'PENDING: no reply yet. REPLIED: being graded. SCORED: every criterion has a verdict. ' +
    'UNGRADED: a criterion could not be graded. FAILED: no reply could be had.',
});

@ObjectType('ModelSettings', {
  simpleResolvers: true,
  description: 'A model of a run, frozen with everything that is sent to it.',
})
export class ModelSettingsType {
  @Field(() => ID, { nullable: true, description: 'Null, as the name: of an imported run.' })
  endpointId!: string | null;

  @Field(() => String, { nullable: true })
  endpointName!: string | null;

  @Field(() => String, { nullable: true })
  baseUrl!: string | null;

  @Field(() => String)
  model!: string;

  @Field(() => Float, { nullable: true, description: "Null: the provider's default." })
  temperature!: number | null;

  @Field(() => String, { nullable: true })
  reasoningEffort!: string | null;

  @Field(() => Int, { nullable: true })
  maxTokens!: number | null;

  @Field(() => String, { nullable: true })
  systemMessage!: string | null;

  @Field(() => Boolean, { description: 'Its answers are made up by a simulated provider.' })
  simulated!: boolean;

  @Field(() => ModelPriceType, { nullable: true, description: 'At the start of the run. Null: costs are unknown.' })
  price!: ModelPriceType | null;

  @Field(() => [String], { description: 'Of an imported run, the settings above that are null because nobody said.' })
  unknown!: readonly string[];
}

@ObjectType({ simpleResolvers: true, description: 'How the conversations were chosen.' })
export class RunSample {
  @Field(() => String, { description: 'ALL, FIRST, PYTHON_RANDOM, PANDAS or PROMPT_IDS.' })
  method!: string;

  @Field(() => Int)
  size!: number;

  @Field(() => Float, { nullable: true })
  seed!: number | null;
}

@ObjectType('GraderPrompt', { simpleResolvers: true, description: 'The text that asked the grader, as it was frozen.' })
export class GraderPromptType {
  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true, description: 'Null: the run was imported, and only the sha256 was said.' })
  text!: string | null;

  @Field(() => String)
  sha256!: string;
}

@ObjectType('RunProgress', { simpleResolvers: true })
export class RunProgressType {
  @Field(() => Int, { description: 'Selected conversations times repeats.' })
  conversationsTotal!: number;

  @Field(() => Int, { description: 'Scored, ungraded or failed.' })
  conversationsDone!: number;

  @Field(() => Int)
  conversationsScored!: number;

  @Field(() => Int, { description: 'With a criterion that could not be graded.' })
  conversationsUngraded!: number;

  @Field(() => Int, { description: 'Without a reply.' })
  conversationsFailed!: number;

  @Field(() => Int)
  repliesDone!: number;

  @Field(() => Int)
  criteriaTotal!: number;

  @Field(() => Int, { description: 'Graded or ungraded.' })
  criteriaDone!: number;

  @Field(() => Int)
  criteriaGraded!: number;

  @Field(() => Int)
  criteriaUngraded!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'At the pace so far; null before the first verdict and after the end.',
  })
  etaSeconds!: number | null;
}

@ObjectType('Run', { implements: Node, description: 'One evaluation. Frozen at its start but for its status.' })
export class RunType extends Node {
  /** The row's id, and what the resolvers of other features need. */
  key!: string;
  datasetKey!: string;
  regradeOfId!: string | null;
  fingerprint!: FingerprintPart[];
  origin!: RunOrigin | null;

  @Field(() => String)
  name!: string;

  @Field(() => RunStatus)
  status!: RunStatus;

  @Field(() => String, { nullable: true, description: 'Why it is paused or has failed.' })
  statusReason!: string | null;

  @Field(() => Int)
  repeats!: number;

  @Field(() => RunSample)
  sample!: RunSample;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true })
  startedAt!: Date | null;

  @Field(() => DateTime, { nullable: true })
  finishedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "When the team's retention deleted replies, verdicts and explanations; the numbers stay.",
  })
  detailsDeletedAt!: Date | null;

  @Field(() => ModelSettingsType)
  modelUnderTest!: ModelSettingsType;

  @Field(() => ModelSettingsType)
  grader!: ModelSettingsType;

  @Field(() => GraderPromptType, { nullable: true, description: 'Null: the run was imported, and nobody said.' })
  graderPrompt!: GraderPromptType | null;

  @Field(() => String)
  scoringProfile!: string;

  @Field(() => RunScoringType)
  scoring!: RunScoringType;

  @Field(() => String, { description: 'Of Assay, at the start.' })
  version!: string;

  @Field(() => RunProgressType)
  progress!: RunProgressType;

  @Field(() => HitRate, { description: 'Criteria with positive points: met of graded.' })
  positiveCriteria!: HitRate;

  @Field(() => HitRate, { description: 'Penalties, criteria with negative points: triggered of graded.' })
  negativeCriteria!: HitRate;

  @Field(() => RunUsage)
  usage!: RunUsage;
}

export const RunConnection = connectionType(RunType, 'Run');

@ObjectType('RunConversation', { implements: Node, description: 'One conversation, one repeat, in one run.' })
export class RunConversationType extends Node {
  runKey!: string;
  datasetKey!: string;
  conversationNo!: number;

  @Field(() => Int, { description: 'Position in the run, from 0.' })
  ordinal!: number;

  @Field(() => Int, { description: 'From 1.' })
  repeat!: number;

  @Field(() => String, { nullable: true, description: 'Without the prefix, for example hedging.' })
  theme!: string | null;

  @Field(() => RunConversationStatus)
  status!: RunConversationStatus;

  @Field(() => String, { nullable: true, description: 'Why it has no score.' })
  reason!: string | null;

  @Field(() => String, { nullable: true, description: 'The reason in words.' })
  message!: string | null;

  @Field(() => Float, { nullable: true, description: 'Earned / possible, not clipped; null unless SCORED.' })
  score!: number | null;

  @Field(() => Float, { nullable: true })
  earned!: number | null;

  @Field(() => Float, { nullable: true })
  possible!: number | null;

  @Field(() => Int)
  criterionCount!: number;
}

export const RunConversationConnection = connectionType(RunConversationType, 'RunConversation');

/** The row as the API shows it. */
export function runType(row: RunRow): RunType {
  const { progress, log } = row;
  if (progress === null || log === null) throw new Error(`run ${row.id} has lost its counters`);
  const allGraded = log.lastSequence === row.criterionCount;
  return Object.assign(new RunType(), {
    ...row,
    id: globalId('Run', row.id),
    key: row.id,
    datasetKey: row.datasetId,
    fingerprint: partsOf(row),
    origin: originOf(row),
    sample: row.sample as unknown as RunSample,
    modelUnderTest: shownSettings(row.modelUnderTest as unknown as ModelSettings),
    grader: shownSettings(row.grader as unknown as ModelSettings),
    graderPrompt: shownPrompt(row),
    progress: progressOf(row, new Date()),
    scoring: shownScoring(row.scoring as unknown as Scoring),
    positiveCriteria: hitRate('positive', log.positiveMet, log.positiveGraded, allGraded),
    negativeCriteria: hitRate('negative', log.negativeMet, log.negativeGraded, allGraded),
    usage: runUsage(row),
  });
}

function shownSettings(settings: ModelSettings): ModelSettingsType {
  const { endpointId, model, price, unknown = [] } = settings;
  const shownPrice = price == null ? null : { model, ...price };
  const shownId = endpointId === null ? null : globalId('ModelEndpoint', endpointId);
  return { ...settings, endpointId: shownId, price: shownPrice, unknown };
}

function shownPrompt({ graderPromptName, graderPrompt, graderPromptSha256 }: RunRow): GraderPromptType | null {
  if (graderPromptName === null || graderPromptSha256 === null) return null;
  return { name: graderPromptName, text: graderPrompt, sha256: graderPromptSha256 };
}

/** The row as the API shows it. */
export function runConversationType(row: RunConversationRow): RunConversationType {
  const { ordinal, repeat, theme, status, reason, message, score, earned, possible, criterionCount, conversationNo } =
    row;
  const shown = { ordinal, repeat, theme, status, reason, message, score, earned, possible, criterionCount };
  return Object.assign(new RunConversationType(), shown, {
    id: globalId('RunConversation', row.runId, ordinal),
    runKey: row.runId,
    datasetKey: row.datasetId,
    conversationNo,
  });
}
