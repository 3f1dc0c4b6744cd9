// Made by `npm run client` from schema.graphql and src/client/operations. Do not edit.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Hard limits: the run pauses before a call that could pass one. Set maxTokens of both models as well, so that every reply has a bound. */
export type BudgetInput = {
  /** Requests to both models, failed ones included. */
  maxCalls?: number | null | undefined;
  /** Needs a price for both models. */
  maxCostUsd?: number | null | undefined;
  /** Prompts and completions of both models. A whole number. */
  maxTokens?: number | null | undefined;
};

export type CreateApiKeyInput = {
  /** When it ends; by default, and at the latest, your own key's. */
  expiresAt?: string | null | undefined;
  name: string;
  role: Role;
};

export type CreateModelEndpointInput = {
  apiKey?: string | null | undefined;
  /** For example https://api.openai.com/v1 */
  baseUrl: string;
  /** The grader where a run names none. */
  defaultGrader?: string | null | undefined;
  /** The model under test where a run names none. */
  defaultModel?: string | null | undefined;
  /** Calls in flight at most; 16 by default. */
  maxConcurrency?: number | null | undefined;
  name: string;
  /** None by default: then costs are unknown. */
  prices?: Array<ModelPriceInput> | null | undefined;
  /** Calls begun in any minute at most; no limit by default. */
  requestsPerMinute?: number | null | undefined;
  simulated?: boolean | null | undefined;
  /** Tokens in any minute at most; no limit by default. */
  tokensPerMinute?: number | null | undefined;
};

export type CreateWebhookInput = {
  /** All by default. */
  events?: Array<WebhookEvent> | null | undefined;
  name: string;
  /** Gets a POST of JSON for each event. */
  url: string;
};

export type DatasetDownloadStatus =
  | 'COMPLETED'
  | 'DOWNLOADING'
  /** Asked for again, it goes on with the bytes that are here. */
  | 'FAILED'
  /** All bytes are here and are what they should be. */
  | 'IMPORTING'
  | 'QUEUED';

/** An official HealthBench file that the service fetches itself, and knows by its size and sha256. */
export type DatasetSource =
  | 'HEALTHBENCH_CONSENSUS'
  | 'HEALTHBENCH_HARD'
  | 'HEALTHBENCH_MAIN';

export type DeleteModelEndpointInput = {
  endpointId: string;
};

export type DeleteWebhookInput = {
  webhookId: string;
};

/** SUBJECT: the model under test and its request, which a comparison is about. CAUTION: compare with care. SCOPE: the two scores cover different conversations; numbers over the shared ones are not affected. UNKNOWN: of an imported run it is not known, so nobody can tell. BREAKING: graded or scored differently, so no number tells the models apart. */
export type DifferenceSeverity =
  | 'BREAKING'
  | 'CAUTION'
  | 'SCOPE'
  | 'SUBJECT'
  | 'UNKNOWN';

export type EndpointCheck =
  | 'JSON_SCHEMA'
  | 'KEY_VALID'
  | 'MODEL_FOUND'
  | 'REACHABLE'
  | 'SPEED';

export type GraderInput = {
  /** By default the team's first. */
  endpointId?: string | null | undefined;
  maxTokens?: number | null | undefined;
  /** By default the endpoint's. */
  model?: string | null | undefined;
  /** For example low; sent only when given. */
  reasoningEffort?: string | null | undefined;
  /** None by default. */
  systemMessage?: string | null | undefined;
  /** 0.3 for the model under test and 0 for the grader unless given; null: the provider's default. */
  temperature?: number | null | undefined;
  /** A grader template of the team; by default the built-in one. */
  templateId?: string | null | undefined;
};

/** RAW: RunScore.value is the number to quote. LENGTH_ADJUSTED: RunScore.lengthAdjusted is. */
export type Headline =
  | 'LENGTH_ADJUSTED'
  | 'RAW';

export type ImportDatasetInput = {
  /** The same key and input again returns the first result. */
  idempotencyKey?: string | null | undefined;
  /** The file as text. Large files: POST /datasets?name=… with the file as body. */
  jsonl?: string | null | undefined;
  /** Needed with jsonl; by default a source lends its own. */
  name?: string | null | undefined;
  /** Instead of jsonl: the service fetches this file. If the team has it, the dataset is there at once. */
  source?: DatasetSource | null | undefined;
};

/** SIMPLE_EVALS: a file …_allresults.json. SOURCE_HARNESS: results.jsonl, with the text of description.md beside it. HEALTHBENCH_RUNNER: its result file. INSPECT: a log of Inspect in JSON. */
export type ImportFormat =
  | 'HEALTHBENCH_RUNNER'
  | 'INSPECT'
  | 'SIMPLE_EVALS'
  | 'SOURCE_HARNESS';

/** A finished run of another harness, and what its file does not say. */
export type ImportRunInput = {
  /** The dataset that the run was made from: texts and tags are joined from it. */
  datasetId: string;
  /** Of the source harness, the text of description.md. */
  description?: string | null | undefined;
  /** Its text. A large one goes to POST /runs/import. */
  file?: string | null | undefined;
  fileName?: string | null | undefined;
  /** Found out from the file by default. */
  format?: ImportFormat | null | undefined;
  grader?: ImportedGraderInput | null | undefined;
  /** The same key and input again returns the first run. */
  idempotencyKey?: string | null | undefined;
  modelUnderTest?: ImportedModelInput | null | undefined;
  name?: string | null | undefined;
  /** How often the file has the whole list. Needed for more than one, but in SIMPLE_EVALS. */
  repeats?: number | null | undefined;
  /** How the conversations were chosen: it must give the ones of the file. Worked out by default. */
  sample?: SampleInput | null | undefined;
  scoring?: ScoringInput | null | undefined;
  /** healthbench by default. */
  scoringProfile?: string | null | undefined;
};

export type ImportedGraderInput = {
  maxTokens?: number | null | undefined;
  /** Needed where the file does not say it. */
  model?: string | null | undefined;
  /** Or only the sha256 of its trimmed text, in hex. */
  promptSha256?: string | null | undefined;
  reasoningEffort?: string | null | undefined;
  systemMessage?: string | null | undefined;
  temperature?: number | null | undefined;
  /** A grader template of the team with the prompt that was used; null: the built-in one. */
  templateId?: string | null | undefined;
};

/** A model of the imported run. What is left out is unknown, unless the file says it; null declares that it was not sent. */
export type ImportedModelInput = {
  maxTokens?: number | null | undefined;
  /** Needed where the file does not say it. */
  model?: string | null | undefined;
  reasoningEffort?: string | null | undefined;
  systemMessage?: string | null | undefined;
  temperature?: number | null | undefined;
};

/** Whose published constants a length adjustment uses. */
export type LengthVariant =
  | 'CONSENSUS'
  | 'HARD'
  | 'MAIN'
  | 'PROFESSIONAL';

/** REPLY: the model under test gave none. VERDICT: the grader gave none on a criterion of a reply. */
export type MissingPart =
  | 'REPLY'
  | 'VERDICT';

export type ModelInput = {
  /** By default the team's first. */
  endpointId?: string | null | undefined;
  maxTokens?: number | null | undefined;
  /** By default the endpoint's. */
  model?: string | null | undefined;
  /** For example low; sent only when given. */
  reasoningEffort?: string | null | undefined;
  /** None by default. */
  systemMessage?: string | null | undefined;
  /** 0.3 for the model under test and 0 for the grader unless given; null: the provider's default. */
  temperature?: number | null | undefined;
};

/** US dollars per million tokens, with at most six decimals. 0 is free. */
export type ModelPriceInput = {
  /** Of prompt tokens that the provider had cached; null: as the others. */
  cachedPromptUsdPerMillion?: number | null | undefined;
  completionUsdPerMillion: number;
  /** The exact name of the model. */
  model: string;
  promptUsdPerMillion: number;
};

/** RECORDED: the file says it. DECLARED: whoever imported it said it. RECOVERED: joined from the dataset or worked out, and checked. UNKNOWN: nobody said it. */
export type OriginSource =
  | 'DECLARED'
  | 'RECORDED'
  | 'RECOVERED'
  | 'UNKNOWN';

export type PointsSign =
  | 'NEGATIVE'
  | 'POSITIVE';

export type RedeliverWebhookInput = {
  deliveryId: string;
};

/** Of the grader, what is left out stays as in the first run: its endpoint, model, parameters and prompt. */
export type RegradeRunInput = {
  /** None by default, whatever the first run had. */
  budget?: BudgetInput | null | undefined;
  /** With another endpoint and no model, the endpoint's default grader. A templateId of null: the built-in. */
  grader?: GraderInput | null | undefined;
  /** The same key and input again returns the first run. */
  idempotencyKey?: string | null | undefined;
  name?: string | null | undefined;
  /** A run that is over. Of a regrade, the run that it regrades is taken. */
  runId: string;
};

export type RetryRunInput = {
  idempotencyKey?: string | null | undefined;
  runId: string;
};

export type RevokeApiKeyInput = {
  apiKeyId: string;
};

/** VIEWER reads, RUNNER also imports and starts runs, ADMIN also manages keys and endpoints. */
export type Role =
  | 'ADMIN'
  | 'RUNNER'
  | 'VIEWER';

export type RotateWebhookSecretInput = {
  webhookId: string;
};

export type RunFilter = {
  /** From this moment on. */
  createdAfter?: string | null | undefined;
  /** Before this moment. */
  createdBefore?: string | null | undefined;
  datasetId?: string | null | undefined;
  /** The grader's model. */
  grader?: string | null | undefined;
  /** The model under test. */
  model?: string | null | undefined;
  /** Part of the name, in any case. */
  name?: string | null | undefined;
  status?: Array<RunStatus> | null | undefined;
};

export type RunIdInput = {
  runId: string;
};

export type RunOrder =
  | 'CREATED_AT_ASC'
  | 'CREATED_AT_DESC'
  | 'NAME_ASC';

export type RunStatus =
  | 'CANCELLED'
  | 'COMPLETED'
  | 'FAILED'
  | 'PAUSED'
  | 'QUEUED'
  | 'RUNNING';

export type RunWarningCode =
  | 'INCOMPLETE_COVERAGE'
  | 'OFF_PRESET'
  | 'REPORTED_SCORE_DIFFERS'
  | 'SELF_GRADED'
  | 'SIMULATED'
  | 'TINY_SAMPLE'
  | 'UNKNOWN_CONDITIONS'
  | 'UNRECOGNISED_GRADER_PROMPT';

export type SampleInput = {
  /** ALL by default; with a size PYTHON_RANDOM. */
  method?: SampleMethod | null | undefined;
  /** Exactly these conversations, in this order. */
  promptIds?: Array<string> | null | undefined;
  /** A whole number; 0 by default. */
  seed?: number | null | undefined;
  size?: number | null | undefined;
};

/** PYTHON_RANDOM equals random.Random(seed).sample, PANDAS equals DataFrame.sample(random_state=seed). */
export type SampleMethod =
  | 'ALL'
  | 'FIRST'
  | 'PANDAS'
  | 'PYTHON_RANDOM';

export type ScoringInput = {
  /** A constant of your own, in code points; with the next one. */
  lengthCentre?: number | null | undefined;
  /** A constant of your own: what 500 code points more cost, 0..1; with the one before. */
  lengthPenaltyPer500?: number | null | undefined;
  /** By default the dataset's own, if it is an official file; must then agree with it. */
  lengthVariant?: LengthVariant | null | undefined;
  /** true accepts a run that leaves the preset of its profile; it then carries the warning OFF_PRESET. */
  notComparable?: boolean | null | undefined;
};

export type StartRunInput = {
  /** None by default. */
  budget?: BudgetInput | null | undefined;
  datasetId: string;
  grader?: GraderInput | null | undefined;
  /** The same key and input again returns the first run. */
  idempotencyKey?: string | null | undefined;
  modelUnderTest?: ModelInput | null | undefined;
  name?: string | null | undefined;
  /** 1 by default. */
  repeats?: number | null | undefined;
  /** All conversations by default. */
  sample?: SampleInput | null | undefined;
  /** What the profile leaves open. */
  scoring?: ScoringInput | null | undefined;
  /** healthbench (default), healthbench-length-adjusted or healthbench-professional. */
  scoringProfile?: string | null | undefined;
};

export type TestModelEndpointInput = {
  endpointId: string;
  /** By default the endpoint's default model, or its default grader. */
  model?: string | null | undefined;
};

export type TestWebhookInput = {
  webhookId: string;
};

export type UpdateModelEndpointInput = {
  apiKey?: string | null | undefined;
  /** Another host needs apiKey again. */
  baseUrl?: string | null | undefined;
  defaultGrader?: string | null | undefined;
  defaultModel?: string | null | undefined;
  endpointId: string;
  maxConcurrency?: number | null | undefined;
  name?: string | null | undefined;
  /** The whole list, in place of the one before. A run keeps the prices of its start. */
  prices?: Array<ModelPriceInput> | null | undefined;
  /** Null takes the limit away. */
  requestsPerMinute?: number | null | undefined;
  /** Null takes the limit away. */
  tokensPerMinute?: number | null | undefined;
};

export type UpdateWebhookInput = {
  enabled?: boolean | null | undefined;
  /** The whole list, in place of the one before. */
  events?: Array<WebhookEvent> | null | undefined;
  name?: string | null | undefined;
  url?: string | null | undefined;
  webhookId: string;
};

export type VerdictFilter = {
  /** For example accuracy. */
  axis?: string | null | undefined;
  met?: boolean | null | undefined;
  points?: PointsSign | null | undefined;
  /** Any tag of the criterion, for example level:example. */
  tag?: string | null | undefined;
};

export type WebhookDeliveryStatus =
  /** Given up: redeliverWebhook sends it again. */
  | 'FAILED'
  /** Not tried yet, or to be tried again. */
  | 'PENDING'
  /** The receiver has answered with 2xx. */
  | 'SUCCEEDED';

export type WebhookEvent =
  /** It is paused because its budget is spent; not told as RUN_PAUSED as well. */
  | 'RUN_BUDGET_REACHED'
  | 'RUN_CANCELLED'
  | 'RUN_COMPLETED'
  | 'RUN_FAILED'
  /** By a person, or because a provider refuses every call. */
  | 'RUN_PAUSED'
  /** What testWebhook sends; nobody need subscribe to it. */
  | 'TEST';

export type CompareQueryVariables = Exact<{
  baselineId: string;
  candidateId: string;
  flips?: number;
}>;


export type CompareQuery = { compareRuns: { comparable: boolean, sameReplies: boolean, sharedConversations: number, scoredConversations: number, unavailableReason: string | null, differences: Array<{ part: string, baseline: string | null, candidate: string | null, baselineKnown: boolean, candidateKnown: boolean, severity: DifferenceSeverity }>, warnings: Array<{ code: string, message: string }>, baseline: { id: string, name: string, status: RunStatus, modelUnderTest: { model: string }, grader: { model: string }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number } | null } | null }, candidate: { id: string, name: string, status: RunStatus, modelUnderTest: { model: string }, grader: { model: string }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number } | null } | null }, overall: { n: number, conversations: number, baselineScore: number, candidateScore: number, difference: number, pValue: number, wins: number, ties: number, losses: number, minimalDetectableDifference: number | null, conversationsNeeded: number | null, interval: { low: number, high: number } | null } | null, themes: Array<{ tag: string, label: string, n: number, conversations: number, baselineScore: number, candidateScore: number, difference: number, pValue: number, adjustedPValue: number, wins: number, ties: number, losses: number, interval: { low: number, high: number } | null }>, axes: Array<{ tag: string, label: string, n: number, conversations: number, baselineScore: number, candidateScore: number, difference: number, pValue: number, adjustedPValue: number, wins: number, ties: number, losses: number, interval: { low: number, high: number } | null }>, verdictChanges: { compared: number, gained: number, lost: number, pointsGained: number, pointsLost: number }, lost: { nodes: Array<{ pointsMoved: number, repeat: number, criterion: { text: string, points: number }, baseline: { runConversation: { promptId: string } }, candidate: { explanation: string } }> }, gained: { nodes: Array<{ pointsMoved: number, repeat: number, criterion: { text: string, points: number }, baseline: { runConversation: { promptId: string } }, candidate: { explanation: string } }> }, worsened: Array<{ difference: number, baselineScore: number, candidateScore: number, baseline: { promptId: string, theme: string | null } }>, agreement: { baselineGrader: string, candidateGrader: string, n: number, rate: number | null, kappa: number | null, kappaUnavailableReason: string | null, pairwiseF1: { balanced: number | null }, tags: Array<{ label: string, n: number, rate: number | null, kappa: number | null }> } | null } | null };

export type GateQueryVariables = Exact<{
  baseline: string;
  candidate: string;
  maxDrop: number;
  dropAllowed: boolean;
  confidence: number;
}>;


export type GateQuery = { compareRuns: { sameReplies: boolean, unavailableReason: string | null, baseline: { id: string, name: string, status: RunStatus, statusReason: string | null, modelUnderTest: { model: string, simulated: boolean }, grader: { model: string, simulated: boolean }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number, confidence: number } | null } | null }, candidate: { id: string, name: string, status: RunStatus, statusReason: string | null, modelUnderTest: { model: string, simulated: boolean }, grader: { model: string, simulated: boolean }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number, confidence: number } | null } | null }, differences: Array<{ part: string, baseline: string | null, candidate: string | null, baselineKnown: boolean, candidateKnown: boolean, severity: DifferenceSeverity }>, warnings: Array<{ code: string, message: string }>, overall: { conversations: number, baselineScore: number, candidateScore: number, difference: number, pValue: number, wins: number, ties: number, losses: number, conversationsNeeded?: number | null, interval: { low: number, high: number, confidence: number } | null } | null, worsened: Array<{ baselineScore: number, candidateScore: number, difference: number, candidate: { promptId: string, theme: string | null } }> } | null };

export type GateAloneQueryVariables = Exact<{
  candidate: string;
}>;


export type GateAloneQuery = { run: { id: string, name: string, status: RunStatus, statusReason: string | null, modelUnderTest: { model: string, simulated: boolean }, grader: { model: string, simulated: boolean }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number, confidence: number } | null } | null } | null };

export type GateComparisonFragment = { sameReplies: boolean, unavailableReason: string | null, baseline: { id: string, name: string, status: RunStatus, statusReason: string | null, modelUnderTest: { model: string, simulated: boolean }, grader: { model: string, simulated: boolean }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number, confidence: number } | null } | null }, candidate: { id: string, name: string, status: RunStatus, statusReason: string | null, modelUnderTest: { model: string, simulated: boolean }, grader: { model: string, simulated: boolean }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number, confidence: number } | null } | null }, differences: Array<{ part: string, baseline: string | null, candidate: string | null, baselineKnown: boolean, candidateKnown: boolean, severity: DifferenceSeverity }>, warnings: Array<{ code: string, message: string }>, overall: { conversations: number, baselineScore: number, candidateScore: number, difference: number, pValue: number, wins: number, ties: number, losses: number, conversationsNeeded?: number | null, interval: { low: number, high: number, confidence: number } | null } | null, worsened: Array<{ baselineScore: number, candidateScore: number, difference: number, candidate: { promptId: string, theme: string | null } }> };

export type ComparisonFragment = { comparable: boolean, sameReplies: boolean, sharedConversations: number, scoredConversations: number, unavailableReason: string | null, differences: Array<{ part: string, baseline: string | null, candidate: string | null, baselineKnown: boolean, candidateKnown: boolean, severity: DifferenceSeverity }>, warnings: Array<{ code: string, message: string }>, baseline: { id: string, name: string, status: RunStatus, modelUnderTest: { model: string }, grader: { model: string }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number } | null } | null }, candidate: { id: string, name: string, status: RunStatus, modelUnderTest: { model: string }, grader: { model: string }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number } | null } | null }, overall: { n: number, conversations: number, baselineScore: number, candidateScore: number, difference: number, pValue: number, wins: number, ties: number, losses: number, minimalDetectableDifference: number | null, conversationsNeeded: number | null, interval: { low: number, high: number } | null } | null, themes: Array<{ tag: string, label: string, n: number, conversations: number, baselineScore: number, candidateScore: number, difference: number, pValue: number, adjustedPValue: number, wins: number, ties: number, losses: number, interval: { low: number, high: number } | null }>, axes: Array<{ tag: string, label: string, n: number, conversations: number, baselineScore: number, candidateScore: number, difference: number, pValue: number, adjustedPValue: number, wins: number, ties: number, losses: number, interval: { low: number, high: number } | null }>, verdictChanges: { compared: number, gained: number, lost: number, pointsGained: number, pointsLost: number }, lost: { nodes: Array<{ pointsMoved: number, repeat: number, criterion: { text: string, points: number }, baseline: { runConversation: { promptId: string } }, candidate: { explanation: string } }> }, gained: { nodes: Array<{ pointsMoved: number, repeat: number, criterion: { text: string, points: number }, baseline: { runConversation: { promptId: string } }, candidate: { explanation: string } }> }, worsened: Array<{ difference: number, baselineScore: number, candidateScore: number, baseline: { promptId: string, theme: string | null } }>, agreement: { baselineGrader: string, candidateGrader: string, n: number, rate: number | null, kappa: number | null, kappaUnavailableReason: string | null, pairwiseF1: { balanced: number | null }, tags: Array<{ label: string, n: number, rate: number | null, kappa: number | null }> } | null };

export type OverallDifferenceFragment = { n: number, conversations: number, baselineScore: number, candidateScore: number, difference: number, pValue: number, wins: number, ties: number, losses: number, minimalDetectableDifference: number | null, conversationsNeeded: number | null, interval: { low: number, high: number } | null };

export type ChangedConversationFragment = { difference: number, baselineScore: number, candidateScore: number, baseline: { promptId: string, theme: string | null } };

export type AgreementFragment = { baselineGrader: string, candidateGrader: string, n: number, rate: number | null, kappa: number | null, kappaUnavailableReason: string | null, pairwiseF1: { balanced: number | null }, tags: Array<{ label: string, n: number, rate: number | null, kappa: number | null }> };

export type ComparedRunFragment = { id: string, name: string, status: RunStatus, modelUnderTest: { model: string }, grader: { model: string }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number } | null } | null };

export type GateRunFragment = { id: string, name: string, status: RunStatus, statusReason: string | null, modelUnderTest: { model: string, simulated: boolean }, grader: { model: string, simulated: boolean }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number, confidence: number } | null } | null };

export type RunDifferenceFragment = { part: string, baseline: string | null, candidate: string | null, baselineKnown: boolean, candidateKnown: boolean, severity: DifferenceSeverity };

export type TagDifferenceFragment = { tag: string, label: string, n: number, conversations: number, baselineScore: number, candidateScore: number, difference: number, pValue: number, adjustedPValue: number, wins: number, ties: number, losses: number, interval: { low: number, high: number } | null };

export type FlipFragment = { pointsMoved: number, repeat: number, criterion: { text: string, points: number }, baseline: { runConversation: { promptId: string } }, candidate: { explanation: string } };

export type ImportSourceMutationVariables = Exact<{
  input: ImportDatasetInput;
}>;


export type ImportSourceMutation = { importDataset: { created: boolean, dataset: { id: string, name: string, sha256: string, officialName: string | null, conversationCount: number, criterionCount: number, createdAt: string, warnings: Array<string> } | null, download: { id: string, source: DatasetSource, name: string, status: DatasetDownloadStatus, bytesDone: number, bytesTotal: number, reason: string | null, message: string | null } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type DatasetDownloadQueryVariables = Exact<{
  id: string;
}>;


export type DatasetDownloadQuery = { datasetDownload: { id: string, source: DatasetSource, name: string, status: DatasetDownloadStatus, bytesDone: number, bytesTotal: number, reason: string | null, message: string | null, dataset: { id: string, name: string, sha256: string, officialName: string | null, conversationCount: number, criterionCount: number, createdAt: string, warnings: Array<string> } | null } | null };

export type FindDatasetQueryVariables = Exact<{
  id: string;
}>;


export type FindDatasetQuery = { dataset: { id: string } | null };

export type DatasetsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  name?: string | null | undefined;
}>;


export type DatasetsQuery = { datasets: { nodes: Array<{ id: string, name: string, sha256: string, officialName: string | null, conversationCount: number, criterionCount: number, createdAt: string, warnings: Array<string> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type DatasetFragment = { id: string, name: string, sha256: string, officialName: string | null, conversationCount: number, criterionCount: number, createdAt: string, warnings: Array<string> };

export type DownloadFragment = { id: string, source: DatasetSource, name: string, status: DatasetDownloadStatus, bytesDone: number, bytesTotal: number, reason: string | null, message: string | null };

export type EndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type EndpointsQuery = { modelEndpoints: Array<{ id: string, name: string, baseUrl: string, hasApiKey: boolean, maxConcurrency: number, defaultModel: string | null, defaultGrader: string | null, simulated: boolean }> };

export type CreateModelEndpointMutationVariables = Exact<{
  input: CreateModelEndpointInput;
}>;


export type CreateModelEndpointMutation = { createModelEndpoint: { modelEndpoint: { id: string, name: string, baseUrl: string, hasApiKey: boolean, maxConcurrency: number, defaultModel: string | null, defaultGrader: string | null, simulated: boolean } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type UpdateModelEndpointMutationVariables = Exact<{
  input: UpdateModelEndpointInput;
}>;


export type UpdateModelEndpointMutation = { updateModelEndpoint: { modelEndpoint: { id: string, name: string, baseUrl: string, hasApiKey: boolean, maxConcurrency: number, defaultModel: string | null, defaultGrader: string | null, simulated: boolean } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type DeleteModelEndpointMutationVariables = Exact<{
  input: DeleteModelEndpointInput;
}>;


export type DeleteModelEndpointMutation = { deleteModelEndpoint: { modelEndpoint: { id: string, name: string, baseUrl: string, hasApiKey: boolean, maxConcurrency: number, defaultModel: string | null, defaultGrader: string | null, simulated: boolean } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type TestModelEndpointMutationVariables = Exact<{
  input: TestModelEndpointInput;
}>;


export type TestModelEndpointMutation = { testModelEndpoint: { test: { model: string | null, reachable: boolean | null, keyValid: boolean | null, modelFound: boolean | null, jsonSchema: boolean | null, latencyMs: number | null, calls: number, findings: Array<{ check: EndpointCheck, passed: boolean | null, message: string }> } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type EndpointTestFragment = { model: string | null, reachable: boolean | null, keyValid: boolean | null, modelFound: boolean | null, jsonSchema: boolean | null, latencyMs: number | null, calls: number, findings: Array<{ check: EndpointCheck, passed: boolean | null, message: string }> };

export type EndpointFragment = { id: string, name: string, baseUrl: string, hasApiKey: boolean, maxConcurrency: number, defaultModel: string | null, defaultGrader: string | null, simulated: boolean };

export type UserErrorFragment = { code: string, message: string, path: Array<string> };

export type ProgressFragment = { conversationsTotal: number, conversationsDone: number, conversationsScored: number, conversationsFailed: number, conversationsUngraded: number, criteriaTotal: number, criteriaDone: number, criteriaGraded: number, criteriaUngraded: number, etaSeconds: number | null };

export type CreateApiKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateApiKeyMutation = { createApiKey: { secret: string | null, apiKey: { id: string, name: string, role: Role, prefix: string } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type ApiKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type ApiKeysQuery = { apiKeys: Array<{ createdAt: string, lastUsedAt: string | null, expiresAt: string | null, revokedAt: string | null, id: string, name: string, role: Role, prefix: string }> };

export type RevokeApiKeyMutationVariables = Exact<{
  input: RevokeApiKeyInput;
}>;


export type RevokeApiKeyMutation = { revokeApiKey: { apiKey: { id: string, name: string, role: Role, prefix: string } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type ApiKeyFragment = { id: string, name: string, role: Role, prefix: string };

export type RunsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: RunFilter | null | undefined;
  orderBy?: RunOrder | null | undefined;
}>;


export type RunsQuery = { runs: { nodes: Array<{ id: string, name: string, status: RunStatus, createdAt: string, startedAt: string | null, origin: { format: ImportFormat, importedAt: string } | null, modelUnderTest: { model: string, simulated: boolean }, grader: { model: string }, progress: { conversationsTotal: number }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number } | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type RunNamesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: RunFilter | null | undefined;
}>;


export type RunNamesQuery = { runs: { nodes: Array<{ id: string, name: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type FindRunQueryVariables = Exact<{
  id: string;
}>;


export type FindRunQuery = { run: { id: string, status: RunStatus } | null };

export type StartRunMutationVariables = Exact<{
  input: StartRunInput;
}>;


export type StartRunMutation = { startRun: { run: { id: string, name: string, status: RunStatus, sample: { size: number } } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type ImportRunMutationVariables = Exact<{
  input: ImportRunInput;
}>;


export type ImportRunMutation = { importRun: { created: boolean, run: { id: string, name: string, status: RunStatus } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type RegradeRunMutationVariables = Exact<{
  input: RegradeRunInput;
}>;


export type RegradeRunMutation = { regradeRun: { run: { id: string, name: string } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type PauseRunMutationVariables = Exact<{
  input: RunIdInput;
}>;


export type PauseRunMutation = { changed: { run: { id: string, name: string, status: RunStatus } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type ResumeRunMutationVariables = Exact<{
  input: RunIdInput;
}>;


export type ResumeRunMutation = { changed: { run: { id: string, name: string, status: RunStatus } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type CancelRunMutationVariables = Exact<{
  input: RunIdInput;
}>;


export type CancelRunMutation = { changed: { run: { id: string, name: string, status: RunStatus } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type RetryRunMutationVariables = Exact<{
  input: RetryRunInput;
}>;


export type RetryRunMutation = { changed: { run: { id: string, name: string, status: RunStatus } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type StartedRunFragment = { id: string, name: string, status: RunStatus, sample: { size: number } };

export type ChangedRunFragment = { run: { id: string, name: string, status: RunStatus } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> };

export type ListedRunFragment = { id: string, name: string, status: RunStatus, createdAt: string, startedAt: string | null, origin: { format: ImportFormat, importedAt: string } | null, modelUnderTest: { model: string, simulated: boolean }, grader: { model: string }, progress: { conversationsTotal: number }, score: { value: number, n: number, coverage: number, interval: { low: number, high: number } | null } | null };

export type ScoreCardQueryVariables = Exact<{
  id: string;
}>;


export type ScoreCardQuery = { run: { id: string, name: string, status: RunStatus, statusReason: string | null, createdAt: string, startedAt: string | null, finishedAt: string | null, repeats: number, scoringProfile: string, scoreUnavailableReason: string | null, dataset: { id: string, name: string, officialName: string | null, sha256: string }, sample: { method: string, size: number, seed: number | null }, modelUnderTest: { endpointName: string | null, baseUrl: string | null, model: string, temperature: number | null, reasoningEffort: string | null, maxTokens: number | null, systemMessage: string | null, simulated: boolean, unknown: Array<string> }, grader: { endpointName: string | null, baseUrl: string | null, model: string, temperature: number | null, reasoningEffort: string | null, maxTokens: number | null, systemMessage: string | null, simulated: boolean, unknown: Array<string> }, graderPrompt: { name: string, sha256: string } | null, origin: { format: ImportFormat, fileName: string | null, sha256: string, importedAt: string, importedBy: string | null, recordedAt: string | null, reportedScore: number | null, recomputedScore: number | null, parts: Array<{ part: string, value: string | null, source: OriginSource }> } | null, progress: { conversationsTotal: number, conversationsDone: number, conversationsScored: number, conversationsFailed: number, conversationsUngraded: number, criteriaTotal: number, criteriaDone: number, criteriaGraded: number, criteriaUngraded: number, etaSeconds: number | null }, score: { value: number, median: number, bootstrapStd: number | null, n: number, coverage: number, criteriaCoverage: number, perfect: number, belowZero: number, lowerBound: number, upperBound: number, headline: Headline, final: boolean, interval: { low: number, high: number, confidence: number } | null, lengthAdjustment: { value: number, interval: { low: number, high: number } | null } | null } | null, warnings: Array<{ code: RunWarningCode, message: string }>, positiveCriteria: { met: number, graded: number, rate: number | null }, negativeCriteria: { met: number, graded: number, rate: number | null }, themes: Array<{ tag: string, label: string, value: number | null, n: number, interval: { low: number, high: number } | null }>, axes: Array<{ tag: string, label: string, value: number | null, n: number, interval: { low: number, high: number } | null }>, histogram: Array<{ from: number | null, to: number, count: number }>, usage: { model: { calls: number, promptTokens: number | string, completionTokens: number | string }, grader: { calls: number, promptTokens: number | string, completionTokens: number | string } }, worst: { nodes: Array<{ promptId: string, repeat: number, theme: string | null, score: number | null, earned: number | null, possible: number | null, results: Array<{ pointsLost: number, criterion: { text: string, points: number, axis: string | null }, verdict: { criteriaMet: boolean, explanation: string } | null }> }> }, missingReasons: Array<{ missing: MissingPart, reason: string, conversations: number, criteria: number | null, message: string | null }> } | null };

export type ScoreCardFragment = { id: string, name: string, status: RunStatus, statusReason: string | null, createdAt: string, startedAt: string | null, finishedAt: string | null, repeats: number, scoringProfile: string, scoreUnavailableReason: string | null, dataset: { id: string, name: string, officialName: string | null, sha256: string }, sample: { method: string, size: number, seed: number | null }, modelUnderTest: { endpointName: string | null, baseUrl: string | null, model: string, temperature: number | null, reasoningEffort: string | null, maxTokens: number | null, systemMessage: string | null, simulated: boolean, unknown: Array<string> }, grader: { endpointName: string | null, baseUrl: string | null, model: string, temperature: number | null, reasoningEffort: string | null, maxTokens: number | null, systemMessage: string | null, simulated: boolean, unknown: Array<string> }, graderPrompt: { name: string, sha256: string } | null, origin: { format: ImportFormat, fileName: string | null, sha256: string, importedAt: string, importedBy: string | null, recordedAt: string | null, reportedScore: number | null, recomputedScore: number | null, parts: Array<{ part: string, value: string | null, source: OriginSource }> } | null, progress: { conversationsTotal: number, conversationsDone: number, conversationsScored: number, conversationsFailed: number, conversationsUngraded: number, criteriaTotal: number, criteriaDone: number, criteriaGraded: number, criteriaUngraded: number, etaSeconds: number | null }, score: { value: number, median: number, bootstrapStd: number | null, n: number, coverage: number, criteriaCoverage: number, perfect: number, belowZero: number, lowerBound: number, upperBound: number, headline: Headline, final: boolean, interval: { low: number, high: number, confidence: number } | null, lengthAdjustment: { value: number, interval: { low: number, high: number } | null } | null } | null, warnings: Array<{ code: RunWarningCode, message: string }>, positiveCriteria: { met: number, graded: number, rate: number | null }, negativeCriteria: { met: number, graded: number, rate: number | null }, themes: Array<{ tag: string, label: string, value: number | null, n: number, interval: { low: number, high: number } | null }>, axes: Array<{ tag: string, label: string, value: number | null, n: number, interval: { low: number, high: number } | null }>, histogram: Array<{ from: number | null, to: number, count: number }>, usage: { model: { calls: number, promptTokens: number | string, completionTokens: number | string }, grader: { calls: number, promptTokens: number | string, completionTokens: number | string } }, worst: { nodes: Array<{ promptId: string, repeat: number, theme: string | null, score: number | null, earned: number | null, possible: number | null, results: Array<{ pointsLost: number, criterion: { text: string, points: number, axis: string | null }, verdict: { criteriaMet: boolean, explanation: string } | null }> }> }, missingReasons: Array<{ missing: MissingPart, reason: string, conversations: number, criteria: number | null, message: string | null }> };

export type ModelSettingsFragment = { endpointName: string | null, baseUrl: string | null, model: string, temperature: number | null, reasoningEffort: string | null, maxTokens: number | null, systemMessage: string | null, simulated: boolean, unknown: Array<string> };

export type RunOriginFragment = { format: ImportFormat, fileName: string | null, sha256: string, importedAt: string, importedBy: string | null, recordedAt: string | null, reportedScore: number | null, recomputedScore: number | null, parts: Array<{ part: string, value: string | null, source: OriginSource }> };

export type RunScoreFragment = { value: number, median: number, bootstrapStd: number | null, n: number, coverage: number, criteriaCoverage: number, perfect: number, belowZero: number, lowerBound: number, upperBound: number, headline: Headline, final: boolean, interval: { low: number, high: number, confidence: number } | null, lengthAdjustment: { value: number, interval: { low: number, high: number } | null } | null };

export type HitRateFragment = { met: number, graded: number, rate: number | null };

export type TagScoreFragment = { tag: string, label: string, value: number | null, n: number, interval: { low: number, high: number } | null };

export type UsageFragment = { calls: number, promptTokens: number | string, completionTokens: number | string };

export type WorstConversationFragment = { promptId: string, repeat: number, theme: string | null, score: number | null, earned: number | null, possible: number | null, results: Array<{ pointsLost: number, criterion: { text: string, points: number, axis: string | null }, verdict: { criteriaMet: boolean, explanation: string } | null }> };

export type RunVerdictsSubscriptionVariables = Exact<{
  runId: string;
  after?: number | null | undefined;
}>;


export type RunVerdictsSubscription = { runVerdicts: { cursor: number, runStatus: RunStatus, verdicts: Array<{ sequence: number, points: number, criteriaMet: boolean, explanation: string, criterion: { no: number, text: string, axis: string | null }, runConversation: { promptId: string, repeat: number } }>, progress: { conversationsTotal: number, conversationsDone: number, conversationsScored: number, conversationsFailed: number, conversationsUngraded: number, criteriaTotal: number, criteriaDone: number, criteriaGraded: number, criteriaUngraded: number, etaSeconds: number | null } } };

export type VerdictsQueryVariables = Exact<{
  runId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: VerdictFilter | null | undefined;
}>;


export type VerdictsQuery = { run: { verdicts: { nodes: Array<{ sequence: number, points: number, criteriaMet: boolean, explanation: string, criterion: { no: number, text: string, axis: string | null }, runConversation: { promptId: string, repeat: number } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type VerdictBatchFragment = { cursor: number, runStatus: RunStatus, verdicts: Array<{ sequence: number, points: number, criteriaMet: boolean, explanation: string, criterion: { no: number, text: string, axis: string | null }, runConversation: { promptId: string, repeat: number } }>, progress: { conversationsTotal: number, conversationsDone: number, conversationsScored: number, conversationsFailed: number, conversationsUngraded: number, criteriaTotal: number, criteriaDone: number, criteriaGraded: number, criteriaUngraded: number, etaSeconds: number | null } };

export type VerdictFragment = { sequence: number, points: number, criteriaMet: boolean, explanation: string, criterion: { no: number, text: string, axis: string | null }, runConversation: { promptId: string, repeat: number } };

export type WebhooksQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhooksQuery = { webhooks: Array<{ id: string, name: string, url: string, events: Array<WebhookEvent>, enabled: boolean, disabledReason: string | null, previousSecretExpiresAt: string | null }> };

export type WebhookDeliveriesQueryVariables = Exact<{
  id: string;
  first?: number | null | undefined;
  status?: WebhookDeliveryStatus | null | undefined;
}>;


export type WebhookDeliveriesQuery = { webhook: { deliveries: { nodes: Array<{ id: string, messageId: string, event: WebhookEvent, status: WebhookDeliveryStatus, attempts: number, responseStatus: number | null, durationMs: number | null, error: string | null, createdAt: string, lastAttemptAt: string | null, nextAttemptAt: string | null, run: { id: string, name: string } | null }> } } | null };

export type CreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type CreateWebhookMutation = { createWebhook: { secret: string | null, webhook: { id: string, name: string, url: string, events: Array<WebhookEvent>, enabled: boolean, disabledReason: string | null, previousSecretExpiresAt: string | null } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type UpdateWebhookMutationVariables = Exact<{
  input: UpdateWebhookInput;
}>;


export type UpdateWebhookMutation = { updateWebhook: { webhook: { id: string, name: string, url: string, events: Array<WebhookEvent>, enabled: boolean, disabledReason: string | null, previousSecretExpiresAt: string | null } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type RotateWebhookSecretMutationVariables = Exact<{
  input: RotateWebhookSecretInput;
}>;


export type RotateWebhookSecretMutation = { rotateWebhookSecret: { secret: string | null, webhook: { id: string, name: string, url: string, events: Array<WebhookEvent>, enabled: boolean, disabledReason: string | null, previousSecretExpiresAt: string | null } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type DeleteWebhookMutationVariables = Exact<{
  input: DeleteWebhookInput;
}>;


export type DeleteWebhookMutation = { deleteWebhook: { webhook: { id: string, name: string, url: string, events: Array<WebhookEvent>, enabled: boolean, disabledReason: string | null, previousSecretExpiresAt: string | null } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type TestWebhookMutationVariables = Exact<{
  input: TestWebhookInput;
}>;


export type TestWebhookMutation = { sent: { delivery: { id: string, messageId: string, event: WebhookEvent, status: WebhookDeliveryStatus, attempts: number, responseStatus: number | null, durationMs: number | null, error: string | null, createdAt: string, lastAttemptAt: string | null, nextAttemptAt: string | null, run: { id: string, name: string } | null } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type RedeliverWebhookMutationVariables = Exact<{
  input: RedeliverWebhookInput;
}>;


export type RedeliverWebhookMutation = { sent: { delivery: { id: string, messageId: string, event: WebhookEvent, status: WebhookDeliveryStatus, attempts: number, responseStatus: number | null, durationMs: number | null, error: string | null, createdAt: string, lastAttemptAt: string | null, nextAttemptAt: string | null, run: { id: string, name: string } | null } | null, userErrors: Array<{ code: string, message: string, path: Array<string> }> } };

export type WebhookFragment = { id: string, name: string, url: string, events: Array<WebhookEvent>, enabled: boolean, disabledReason: string | null, previousSecretExpiresAt: string | null };

export type WebhookDeliveryFragment = { id: string, messageId: string, event: WebhookEvent, status: WebhookDeliveryStatus, attempts: number, responseStatus: number | null, durationMs: number | null, error: string | null, createdAt: string, lastAttemptAt: string | null, nextAttemptAt: string | null, run: { id: string, name: string } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const GateRunFragmentDoc = new TypedDocumentString(`
    fragment GateRun on Run {
  id
  name
  status
  statusReason
  modelUnderTest {
    model
    simulated
  }
  grader {
    model
    simulated
  }
  score {
    value
    n
    coverage
    interval {
      low
      high
      confidence
    }
  }
}
    `, {"fragmentName":"GateRun"}) as unknown as TypedDocumentString<GateRunFragment, unknown>;
export const RunDifferenceFragmentDoc = new TypedDocumentString(`
    fragment RunDifference on RunDifference {
  part
  baseline
  candidate
  baselineKnown
  candidateKnown
  severity
}
    `, {"fragmentName":"RunDifference"}) as unknown as TypedDocumentString<RunDifferenceFragment, unknown>;
export const GateComparisonFragmentDoc = new TypedDocumentString(`
    fragment GateComparison on RunComparison {
  baseline {
    ...GateRun
  }
  candidate {
    ...GateRun
  }
  differences {
    ...RunDifference
  }
  warnings {
    code
    message
  }
  sameReplies
  unavailableReason
  overall {
    conversations
    baselineScore
    candidateScore
    difference
    pValue
    wins
    ties
    losses
    interval(confidence: $confidence) {
      low
      high
      confidence
    }
    conversationsNeeded(difference: $maxDrop) @include(if: $dropAllowed)
  }
  worsened(first: 5) {
    baselineScore
    candidateScore
    difference
    candidate {
      promptId
      theme
    }
  }
}
    fragment GateRun on Run {
  id
  name
  status
  statusReason
  modelUnderTest {
    model
    simulated
  }
  grader {
    model
    simulated
  }
  score {
    value
    n
    coverage
    interval {
      low
      high
      confidence
    }
  }
}
fragment RunDifference on RunDifference {
  part
  baseline
  candidate
  baselineKnown
  candidateKnown
  severity
}`, {"fragmentName":"GateComparison"}) as unknown as TypedDocumentString<GateComparisonFragment, unknown>;
export const ComparedRunFragmentDoc = new TypedDocumentString(`
    fragment ComparedRun on Run {
  id
  name
  status
  modelUnderTest {
    model
  }
  grader {
    model
  }
  score {
    value
    interval {
      low
      high
    }
    n
    coverage
  }
}
    `, {"fragmentName":"ComparedRun"}) as unknown as TypedDocumentString<ComparedRunFragment, unknown>;
export const OverallDifferenceFragmentDoc = new TypedDocumentString(`
    fragment OverallDifference on PairedDifference {
  n
  conversations
  baselineScore
  candidateScore
  difference
  interval {
    low
    high
  }
  pValue
  wins
  ties
  losses
  minimalDetectableDifference
  conversationsNeeded
}
    `, {"fragmentName":"OverallDifference"}) as unknown as TypedDocumentString<OverallDifferenceFragment, unknown>;
export const TagDifferenceFragmentDoc = new TypedDocumentString(`
    fragment TagDifference on TagDifference {
  tag
  label
  n
  conversations
  baselineScore
  candidateScore
  difference
  interval {
    low
    high
  }
  pValue
  adjustedPValue
  wins
  ties
  losses
}
    `, {"fragmentName":"TagDifference"}) as unknown as TypedDocumentString<TagDifferenceFragment, unknown>;
export const FlipFragmentDoc = new TypedDocumentString(`
    fragment Flip on FlippedCriterion {
  pointsMoved
  repeat
  criterion {
    text
    points
  }
  baseline {
    runConversation {
      promptId
    }
  }
  candidate {
    explanation
  }
}
    `, {"fragmentName":"Flip"}) as unknown as TypedDocumentString<FlipFragment, unknown>;
export const ChangedConversationFragmentDoc = new TypedDocumentString(`
    fragment ChangedConversation on ChangedConversation {
  difference
  baselineScore
  candidateScore
  baseline {
    promptId
    theme
  }
}
    `, {"fragmentName":"ChangedConversation"}) as unknown as TypedDocumentString<ChangedConversationFragment, unknown>;
export const AgreementFragmentDoc = new TypedDocumentString(`
    fragment Agreement on GraderAgreement {
  baselineGrader
  candidateGrader
  n
  rate
  kappa
  kappaUnavailableReason
  pairwiseF1 {
    balanced
  }
  tags(group: AXIS) {
    label
    n
    rate
    kappa
  }
}
    `, {"fragmentName":"Agreement"}) as unknown as TypedDocumentString<AgreementFragment, unknown>;
export const ComparisonFragmentDoc = new TypedDocumentString(`
    fragment Comparison on RunComparison {
  comparable
  differences {
    ...RunDifference
  }
  warnings {
    code
    message
  }
  sameReplies
  sharedConversations
  scoredConversations
  baseline {
    ...ComparedRun
  }
  candidate {
    ...ComparedRun
  }
  overall {
    ...OverallDifference
  }
  unavailableReason
  themes {
    ...TagDifference
  }
  axes {
    ...TagDifference
  }
  verdictChanges {
    compared
    gained
    lost
    pointsGained
    pointsLost
  }
  lost: flips(first: $flips, direction: LOST) {
    nodes {
      ...Flip
    }
  }
  gained: flips(first: $flips, direction: GAINED) {
    nodes {
      ...Flip
    }
  }
  worsened(first: 5) {
    ...ChangedConversation
  }
  agreement {
    ...Agreement
  }
}
    fragment OverallDifference on PairedDifference {
  n
  conversations
  baselineScore
  candidateScore
  difference
  interval {
    low
    high
  }
  pValue
  wins
  ties
  losses
  minimalDetectableDifference
  conversationsNeeded
}
fragment ChangedConversation on ChangedConversation {
  difference
  baselineScore
  candidateScore
  baseline {
    promptId
    theme
  }
}
fragment Agreement on GraderAgreement {
  baselineGrader
  candidateGrader
  n
  rate
  kappa
  kappaUnavailableReason
  pairwiseF1 {
    balanced
  }
  tags(group: AXIS) {
    label
    n
    rate
    kappa
  }
}
fragment ComparedRun on Run {
  id
  name
  status
  modelUnderTest {
    model
  }
  grader {
    model
  }
  score {
    value
    interval {
      low
      high
    }
    n
    coverage
  }
}
fragment RunDifference on RunDifference {
  part
  baseline
  candidate
  baselineKnown
  candidateKnown
  severity
}
fragment TagDifference on TagDifference {
  tag
  label
  n
  conversations
  baselineScore
  candidateScore
  difference
  interval {
    low
    high
  }
  pValue
  adjustedPValue
  wins
  ties
  losses
}
fragment Flip on FlippedCriterion {
  pointsMoved
  repeat
  criterion {
    text
    points
  }
  baseline {
    runConversation {
      promptId
    }
  }
  candidate {
    explanation
  }
}`, {"fragmentName":"Comparison"}) as unknown as TypedDocumentString<ComparisonFragment, unknown>;
export const DatasetFragmentDoc = new TypedDocumentString(`
    fragment Dataset on Dataset {
  id
  name
  sha256
  officialName
  conversationCount
  criterionCount
  createdAt
  warnings
}
    `, {"fragmentName":"Dataset"}) as unknown as TypedDocumentString<DatasetFragment, unknown>;
export const DownloadFragmentDoc = new TypedDocumentString(`
    fragment Download on DatasetDownload {
  id
  source
  name
  status
  bytesDone
  bytesTotal
  reason
  message
}
    `, {"fragmentName":"Download"}) as unknown as TypedDocumentString<DownloadFragment, unknown>;
export const EndpointTestFragmentDoc = new TypedDocumentString(`
    fragment EndpointTest on EndpointTest {
  model
  reachable
  keyValid
  modelFound
  jsonSchema
  latencyMs
  calls
  findings {
    check
    passed
    message
  }
}
    `, {"fragmentName":"EndpointTest"}) as unknown as TypedDocumentString<EndpointTestFragment, unknown>;
export const EndpointFragmentDoc = new TypedDocumentString(`
    fragment Endpoint on ModelEndpoint {
  id
  name
  baseUrl
  hasApiKey
  maxConcurrency
  defaultModel
  defaultGrader
  simulated
}
    `, {"fragmentName":"Endpoint"}) as unknown as TypedDocumentString<EndpointFragment, unknown>;
export const ApiKeyFragmentDoc = new TypedDocumentString(`
    fragment ApiKey on ApiKey {
  id
  name
  role
  prefix
}
    `, {"fragmentName":"ApiKey"}) as unknown as TypedDocumentString<ApiKeyFragment, unknown>;
export const StartedRunFragmentDoc = new TypedDocumentString(`
    fragment StartedRun on Run {
  id
  name
  status
  sample {
    size
  }
}
    `, {"fragmentName":"StartedRun"}) as unknown as TypedDocumentString<StartedRunFragment, unknown>;
export const UserErrorFragmentDoc = new TypedDocumentString(`
    fragment UserError on UserError {
  code
  message
  path
}
    `, {"fragmentName":"UserError"}) as unknown as TypedDocumentString<UserErrorFragment, unknown>;
export const ChangedRunFragmentDoc = new TypedDocumentString(`
    fragment ChangedRun on RunPayload {
  run {
    id
    name
    status
  }
  userErrors {
    ...UserError
  }
}
    fragment UserError on UserError {
  code
  message
  path
}`, {"fragmentName":"ChangedRun"}) as unknown as TypedDocumentString<ChangedRunFragment, unknown>;
export const ListedRunFragmentDoc = new TypedDocumentString(`
    fragment ListedRun on Run {
  id
  name
  status
  createdAt
  startedAt
  origin {
    format
    importedAt
  }
  modelUnderTest {
    model
    simulated
  }
  grader {
    model
  }
  progress {
    conversationsTotal
  }
  score {
    value
    interval {
      low
      high
    }
    n
    coverage
  }
}
    `, {"fragmentName":"ListedRun"}) as unknown as TypedDocumentString<ListedRunFragment, unknown>;
export const ModelSettingsFragmentDoc = new TypedDocumentString(`
    fragment ModelSettings on ModelSettings {
  endpointName
  baseUrl
  model
  temperature
  reasoningEffort
  maxTokens
  systemMessage
  simulated
  unknown
}
    `, {"fragmentName":"ModelSettings"}) as unknown as TypedDocumentString<ModelSettingsFragment, unknown>;
export const RunOriginFragmentDoc = new TypedDocumentString(`
    fragment RunOrigin on RunOrigin {
  format
  fileName
  sha256
  importedAt
  importedBy
  recordedAt
  reportedScore
  recomputedScore
  parts {
    part
    value
    source
  }
}
    `, {"fragmentName":"RunOrigin"}) as unknown as TypedDocumentString<RunOriginFragment, unknown>;
export const ProgressFragmentDoc = new TypedDocumentString(`
    fragment Progress on RunProgress {
  conversationsTotal
  conversationsDone
  conversationsScored
  conversationsFailed
  conversationsUngraded
  criteriaTotal
  criteriaDone
  criteriaGraded
  criteriaUngraded
  etaSeconds
}
    `, {"fragmentName":"Progress"}) as unknown as TypedDocumentString<ProgressFragment, unknown>;
export const RunScoreFragmentDoc = new TypedDocumentString(`
    fragment RunScore on RunScore {
  value
  median
  bootstrapStd
  interval {
    low
    high
    confidence
  }
  n
  coverage
  criteriaCoverage
  perfect
  belowZero
  lowerBound
  upperBound
  headline
  lengthAdjustment {
    value
    interval {
      low
      high
    }
  }
  final
}
    `, {"fragmentName":"RunScore"}) as unknown as TypedDocumentString<RunScoreFragment, unknown>;
export const HitRateFragmentDoc = new TypedDocumentString(`
    fragment HitRate on HitRate {
  met
  graded
  rate
}
    `, {"fragmentName":"HitRate"}) as unknown as TypedDocumentString<HitRateFragment, unknown>;
export const TagScoreFragmentDoc = new TypedDocumentString(`
    fragment TagScore on TagScore {
  tag
  label
  value
  interval {
    low
    high
  }
  n
}
    `, {"fragmentName":"TagScore"}) as unknown as TypedDocumentString<TagScoreFragment, unknown>;
export const UsageFragmentDoc = new TypedDocumentString(`
    fragment Usage on ModelUsage {
  calls
  promptTokens
  completionTokens
}
    `, {"fragmentName":"Usage"}) as unknown as TypedDocumentString<UsageFragment, unknown>;
export const WorstConversationFragmentDoc = new TypedDocumentString(`
    fragment WorstConversation on RunConversation {
  promptId
  repeat
  theme
  score
  earned
  possible
  results {
    criterion {
      text
      points
      axis
    }
    verdict {
      criteriaMet
      explanation
    }
    pointsLost
  }
}
    `, {"fragmentName":"WorstConversation"}) as unknown as TypedDocumentString<WorstConversationFragment, unknown>;
export const ScoreCardFragmentDoc = new TypedDocumentString(`
    fragment ScoreCard on Run {
  id
  name
  status
  statusReason
  createdAt
  startedAt
  finishedAt
  repeats
  scoringProfile
  dataset {
    id
    name
    officialName
    sha256
  }
  sample {
    method
    size
    seed
  }
  modelUnderTest {
    ...ModelSettings
  }
  grader {
    ...ModelSettings
  }
  graderPrompt {
    name
    sha256
  }
  origin {
    ...RunOrigin
  }
  progress {
    ...Progress
  }
  score {
    ...RunScore
  }
  scoreUnavailableReason
  warnings {
    code
    message
  }
  positiveCriteria {
    ...HitRate
  }
  negativeCriteria {
    ...HitRate
  }
  themes: tagScores(group: THEME) {
    ...TagScore
  }
  axes: tagScores(group: AXIS) {
    ...TagScore
  }
  histogram(bins: 10) {
    from
    to
    count
  }
  usage {
    model {
      ...Usage
    }
    grader {
      ...Usage
    }
  }
  worst: conversations(first: 1, filter: {status: [SCORED]}, orderBy: SCORE_ASC) {
    nodes {
      ...WorstConversation
    }
  }
  missingReasons {
    missing
    reason
    conversations
    criteria
    message
  }
}
    fragment Progress on RunProgress {
  conversationsTotal
  conversationsDone
  conversationsScored
  conversationsFailed
  conversationsUngraded
  criteriaTotal
  criteriaDone
  criteriaGraded
  criteriaUngraded
  etaSeconds
}
fragment ModelSettings on ModelSettings {
  endpointName
  baseUrl
  model
  temperature
  reasoningEffort
  maxTokens
  systemMessage
  simulated
  unknown
}
fragment RunOrigin on RunOrigin {
  format
  fileName
  sha256
  importedAt
  importedBy
  recordedAt
  reportedScore
  recomputedScore
  parts {
    part
    value
    source
  }
}
fragment RunScore on RunScore {
  value
  median
  bootstrapStd
  interval {
    low
    high
    confidence
  }
  n
  coverage
  criteriaCoverage
  perfect
  belowZero
  lowerBound
  upperBound
  headline
  lengthAdjustment {
    value
    interval {
      low
      high
    }
  }
  final
}
fragment HitRate on HitRate {
  met
  graded
  rate
}
fragment TagScore on TagScore {
  tag
  label
  value
  interval {
    low
    high
  }
  n
}
fragment Usage on ModelUsage {
  calls
  promptTokens
  completionTokens
}
fragment WorstConversation on RunConversation {
  promptId
  repeat
  theme
  score
  earned
  possible
  results {
    criterion {
      text
      points
      axis
    }
    verdict {
      criteriaMet
      explanation
    }
    pointsLost
  }
}`, {"fragmentName":"ScoreCard"}) as unknown as TypedDocumentString<ScoreCardFragment, unknown>;
export const VerdictFragmentDoc = new TypedDocumentString(`
    fragment Verdict on CriterionVerdict {
  sequence
  points
  criteriaMet
  explanation
  criterion {
    no
    text
    axis
  }
  runConversation {
    promptId
    repeat
  }
}
    `, {"fragmentName":"Verdict"}) as unknown as TypedDocumentString<VerdictFragment, unknown>;
export const VerdictBatchFragmentDoc = new TypedDocumentString(`
    fragment VerdictBatch on VerdictBatch {
  verdicts {
    ...Verdict
  }
  cursor
  runStatus
  progress {
    ...Progress
  }
}
    fragment Progress on RunProgress {
  conversationsTotal
  conversationsDone
  conversationsScored
  conversationsFailed
  conversationsUngraded
  criteriaTotal
  criteriaDone
  criteriaGraded
  criteriaUngraded
  etaSeconds
}
fragment Verdict on CriterionVerdict {
  sequence
  points
  criteriaMet
  explanation
  criterion {
    no
    text
    axis
  }
  runConversation {
    promptId
    repeat
  }
}`, {"fragmentName":"VerdictBatch"}) as unknown as TypedDocumentString<VerdictBatchFragment, unknown>;
export const WebhookFragmentDoc = new TypedDocumentString(`
    fragment Webhook on Webhook {
  id
  name
  url
  events
  enabled
  disabledReason
  previousSecretExpiresAt
}
    `, {"fragmentName":"Webhook"}) as unknown as TypedDocumentString<WebhookFragment, unknown>;
export const WebhookDeliveryFragmentDoc = new TypedDocumentString(`
    fragment WebhookDelivery on WebhookDelivery {
  id
  messageId
  event
  status
  attempts
  responseStatus
  durationMs
  error
  createdAt
  lastAttemptAt
  nextAttemptAt
  run {
    id
    name
  }
}
    `, {"fragmentName":"WebhookDelivery"}) as unknown as TypedDocumentString<WebhookDeliveryFragment, unknown>;
export const CompareDocument = new TypedDocumentString(`
    query Compare($baselineId: ID!, $candidateId: ID!, $flips: Int! = 5) {
  compareRuns(baselineId: $baselineId, candidateId: $candidateId) {
    ...Comparison
  }
}
    fragment Comparison on RunComparison {
  comparable
  differences {
    ...RunDifference
  }
  warnings {
    code
    message
  }
  sameReplies
  sharedConversations
  scoredConversations
  baseline {
    ...ComparedRun
  }
  candidate {
    ...ComparedRun
  }
  overall {
    ...OverallDifference
  }
  unavailableReason
  themes {
    ...TagDifference
  }
  axes {
    ...TagDifference
  }
  verdictChanges {
    compared
    gained
    lost
    pointsGained
    pointsLost
  }
  lost: flips(first: $flips, direction: LOST) {
    nodes {
      ...Flip
    }
  }
  gained: flips(first: $flips, direction: GAINED) {
    nodes {
      ...Flip
    }
  }
  worsened(first: 5) {
    ...ChangedConversation
  }
  agreement {
    ...Agreement
  }
}
fragment OverallDifference on PairedDifference {
  n
  conversations
  baselineScore
  candidateScore
  difference
  interval {
    low
    high
  }
  pValue
  wins
  ties
  losses
  minimalDetectableDifference
  conversationsNeeded
}
fragment ChangedConversation on ChangedConversation {
  difference
  baselineScore
  candidateScore
  baseline {
    promptId
    theme
  }
}
fragment Agreement on GraderAgreement {
  baselineGrader
  candidateGrader
  n
  rate
  kappa
  kappaUnavailableReason
  pairwiseF1 {
    balanced
  }
  tags(group: AXIS) {
    label
    n
    rate
    kappa
  }
}
fragment ComparedRun on Run {
  id
  name
  status
  modelUnderTest {
    model
  }
  grader {
    model
  }
  score {
    value
    interval {
      low
      high
    }
    n
    coverage
  }
}
fragment RunDifference on RunDifference {
  part
  baseline
  candidate
  baselineKnown
  candidateKnown
  severity
}
fragment TagDifference on TagDifference {
  tag
  label
  n
  conversations
  baselineScore
  candidateScore
  difference
  interval {
    low
    high
  }
  pValue
  adjustedPValue
  wins
  ties
  losses
}
fragment Flip on FlippedCriterion {
  pointsMoved
  repeat
  criterion {
    text
    points
  }
  baseline {
    runConversation {
      promptId
    }
  }
  candidate {
    explanation
  }
}`) as unknown as TypedDocumentString<CompareQuery, CompareQueryVariables>;
export const GateDocument = new TypedDocumentString(`
    query Gate($baseline: ID!, $candidate: ID!, $maxDrop: Float!, $dropAllowed: Boolean!, $confidence: Float!) {
  compareRuns(baselineId: $baseline, candidateId: $candidate) {
    ...GateComparison
  }
}
    fragment GateComparison on RunComparison {
  baseline {
    ...GateRun
  }
  candidate {
    ...GateRun
  }
  differences {
    ...RunDifference
  }
  warnings {
    code
    message
  }
  sameReplies
  unavailableReason
  overall {
    conversations
    baselineScore
    candidateScore
    difference
    pValue
    wins
    ties
    losses
    interval(confidence: $confidence) {
      low
      high
      confidence
    }
    conversationsNeeded(difference: $maxDrop) @include(if: $dropAllowed)
  }
  worsened(first: 5) {
    baselineScore
    candidateScore
    difference
    candidate {
      promptId
      theme
    }
  }
}
fragment GateRun on Run {
  id
  name
  status
  statusReason
  modelUnderTest {
    model
    simulated
  }
  grader {
    model
    simulated
  }
  score {
    value
    n
    coverage
    interval {
      low
      high
      confidence
    }
  }
}
fragment RunDifference on RunDifference {
  part
  baseline
  candidate
  baselineKnown
  candidateKnown
  severity
}`) as unknown as TypedDocumentString<GateQuery, GateQueryVariables>;
export const GateAloneDocument = new TypedDocumentString(`
    query GateAlone($candidate: ID!) {
  run(id: $candidate) {
    ...GateRun
  }
}
    fragment GateRun on Run {
  id
  name
  status
  statusReason
  modelUnderTest {
    model
    simulated
  }
  grader {
    model
    simulated
  }
  score {
    value
    n
    coverage
    interval {
      low
      high
      confidence
    }
  }
}`) as unknown as TypedDocumentString<GateAloneQuery, GateAloneQueryVariables>;
export const ImportSourceDocument = new TypedDocumentString(`
    mutation ImportSource($input: ImportDatasetInput!) {
  importDataset(input: $input) {
    created
    dataset {
      ...Dataset
    }
    download {
      ...Download
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment Dataset on Dataset {
  id
  name
  sha256
  officialName
  conversationCount
  criterionCount
  createdAt
  warnings
}
fragment Download on DatasetDownload {
  id
  source
  name
  status
  bytesDone
  bytesTotal
  reason
  message
}
fragment UserError on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<ImportSourceMutation, ImportSourceMutationVariables>;
export const DatasetDownloadDocument = new TypedDocumentString(`
    query DatasetDownload($id: ID!) {
  datasetDownload(id: $id) {
    ...Download
    dataset {
      ...Dataset
    }
  }
}
    fragment Dataset on Dataset {
  id
  name
  sha256
  officialName
  conversationCount
  criterionCount
  createdAt
  warnings
}
fragment Download on DatasetDownload {
  id
  source
  name
  status
  bytesDone
  bytesTotal
  reason
  message
}`) as unknown as TypedDocumentString<DatasetDownloadQuery, DatasetDownloadQueryVariables>;
export const FindDatasetDocument = new TypedDocumentString(`
    query FindDataset($id: ID!) {
  dataset(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<FindDatasetQuery, FindDatasetQueryVariables>;
export const DatasetsDocument = new TypedDocumentString(`
    query Datasets($first: Int, $after: String, $name: String) {
  datasets(first: $first, after: $after, name: $name) {
    nodes {
      ...Dataset
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Dataset on Dataset {
  id
  name
  sha256
  officialName
  conversationCount
  criterionCount
  createdAt
  warnings
}`) as unknown as TypedDocumentString<DatasetsQuery, DatasetsQueryVariables>;
export const EndpointsDocument = new TypedDocumentString(`
    query Endpoints {
  modelEndpoints {
    ...Endpoint
  }
}
    fragment Endpoint on ModelEndpoint {
  id
  name
  baseUrl
  hasApiKey
  maxConcurrency
  defaultModel
  defaultGrader
  simulated
}`) as unknown as TypedDocumentString<EndpointsQuery, EndpointsQueryVariables>;
export const CreateModelEndpointDocument = new TypedDocumentString(`
    mutation CreateModelEndpoint($input: CreateModelEndpointInput!) {
  createModelEndpoint(input: $input) {
    modelEndpoint {
      ...Endpoint
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment Endpoint on ModelEndpoint {
  id
  name
  baseUrl
  hasApiKey
  maxConcurrency
  defaultModel
  defaultGrader
  simulated
}
fragment UserError on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<CreateModelEndpointMutation, CreateModelEndpointMutationVariables>;
export const UpdateModelEndpointDocument = new TypedDocumentString(`
    mutation UpdateModelEndpoint($input: UpdateModelEndpointInput!) {
  updateModelEndpoint(input: $input) {
    modelEndpoint {
      ...Endpoint
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment Endpoint on ModelEndpoint {
  id
  name
  baseUrl
  hasApiKey
  maxConcurrency
  defaultModel
  defaultGrader
  simulated
}
fragment UserError on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<UpdateModelEndpointMutation, UpdateModelEndpointMutationVariables>;
export const DeleteModelEndpointDocument = new TypedDocumentString(`
    mutation DeleteModelEndpoint($input: DeleteModelEndpointInput!) {
  deleteModelEndpoint(input: $input) {
    modelEndpoint {
      ...Endpoint
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment Endpoint on ModelEndpoint {
  id
  name
  baseUrl
  hasApiKey
  maxConcurrency
  defaultModel
  defaultGrader
  simulated
}
fragment UserError on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<DeleteModelEndpointMutation, DeleteModelEndpointMutationVariables>;
export const TestModelEndpointDocument = new TypedDocumentString(`
    mutation TestModelEndpoint($input: TestModelEndpointInput!) {
  testModelEndpoint(input: $input) {
    test {
      ...EndpointTest
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment EndpointTest on EndpointTest {
  model
  reachable
  keyValid
  modelFound
  jsonSchema
  latencyMs
  calls
  findings {
    check
    passed
    message
  }
}
fragment UserError on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<TestModelEndpointMutation, TestModelEndpointMutationVariables>;
export const CreateApiKeyDocument = new TypedDocumentString(`
    mutation CreateApiKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    apiKey {
      ...ApiKey
    }
    secret
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment ApiKey on ApiKey {
  id
  name
  role
  prefix
}`) as unknown as TypedDocumentString<CreateApiKeyMutation, CreateApiKeyMutationVariables>;
export const ApiKeysDocument = new TypedDocumentString(`
    query ApiKeys {
  apiKeys {
    ...ApiKey
    createdAt
    lastUsedAt
    expiresAt
    revokedAt
  }
}
    fragment ApiKey on ApiKey {
  id
  name
  role
  prefix
}`) as unknown as TypedDocumentString<ApiKeysQuery, ApiKeysQueryVariables>;
export const RevokeApiKeyDocument = new TypedDocumentString(`
    mutation RevokeApiKey($input: RevokeApiKeyInput!) {
  revokeApiKey(input: $input) {
    apiKey {
      ...ApiKey
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment ApiKey on ApiKey {
  id
  name
  role
  prefix
}`) as unknown as TypedDocumentString<RevokeApiKeyMutation, RevokeApiKeyMutationVariables>;
export const RunsDocument = new TypedDocumentString(`
    query Runs($first: Int, $after: String, $filter: RunFilter, $orderBy: RunOrder = CREATED_AT_DESC) {
  runs(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
    nodes {
      ...ListedRun
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment ListedRun on Run {
  id
  name
  status
  createdAt
  startedAt
  origin {
    format
    importedAt
  }
  modelUnderTest {
    model
    simulated
  }
  grader {
    model
  }
  progress {
    conversationsTotal
  }
  score {
    value
    interval {
      low
      high
    }
    n
    coverage
  }
}`) as unknown as TypedDocumentString<RunsQuery, RunsQueryVariables>;
export const RunNamesDocument = new TypedDocumentString(`
    query RunNames($first: Int, $after: String, $filter: RunFilter) {
  runs(first: $first, after: $after, filter: $filter, orderBy: CREATED_AT_DESC) {
    nodes {
      id
      name
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<RunNamesQuery, RunNamesQueryVariables>;
export const FindRunDocument = new TypedDocumentString(`
    query FindRun($id: ID!) {
  run(id: $id) {
    id
    status
  }
}
    `) as unknown as TypedDocumentString<FindRunQuery, FindRunQueryVariables>;
export const StartRunDocument = new TypedDocumentString(`
    mutation StartRun($input: StartRunInput!) {
  startRun(input: $input) {
    run {
      ...StartedRun
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment StartedRun on Run {
  id
  name
  status
  sample {
    size
  }
}`) as unknown as TypedDocumentString<StartRunMutation, StartRunMutationVariables>;
export const ImportRunDocument = new TypedDocumentString(`
    mutation ImportRun($input: ImportRunInput!) {
  importRun(input: $input) {
    created
    run {
      id
      name
      status
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<ImportRunMutation, ImportRunMutationVariables>;
export const RegradeRunDocument = new TypedDocumentString(`
    mutation RegradeRun($input: RegradeRunInput!) {
  regradeRun(input: $input) {
    run {
      id
      name
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}`) as unknown as TypedDocumentString<RegradeRunMutation, RegradeRunMutationVariables>;
export const PauseRunDocument = new TypedDocumentString(`
    mutation PauseRun($input: RunIdInput!) {
  changed: pauseRun(input: $input) {
    ...ChangedRun
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment ChangedRun on RunPayload {
  run {
    id
    name
    status
  }
  userErrors {
    ...UserError
  }
}`) as unknown as TypedDocumentString<PauseRunMutation, PauseRunMutationVariables>;
export const ResumeRunDocument = new TypedDocumentString(`
    mutation ResumeRun($input: RunIdInput!) {
  changed: resumeRun(input: $input) {
    ...ChangedRun
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment ChangedRun on RunPayload {
  run {
    id
    name
    status
  }
  userErrors {
    ...UserError
  }
}`) as unknown as TypedDocumentString<ResumeRunMutation, ResumeRunMutationVariables>;
export const CancelRunDocument = new TypedDocumentString(`
    mutation CancelRun($input: RunIdInput!) {
  changed: cancelRun(input: $input) {
    ...ChangedRun
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment ChangedRun on RunPayload {
  run {
    id
    name
    status
  }
  userErrors {
    ...UserError
  }
}`) as unknown as TypedDocumentString<CancelRunMutation, CancelRunMutationVariables>;
export const RetryRunDocument = new TypedDocumentString(`
    mutation RetryRun($input: RetryRunInput!) {
  changed: retryRun(input: $input) {
    ...ChangedRun
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment ChangedRun on RunPayload {
  run {
    id
    name
    status
  }
  userErrors {
    ...UserError
  }
}`) as unknown as TypedDocumentString<RetryRunMutation, RetryRunMutationVariables>;
export const ScoreCardDocument = new TypedDocumentString(`
    query ScoreCard($id: ID!) {
  run(id: $id) {
    ...ScoreCard
  }
}
    fragment Progress on RunProgress {
  conversationsTotal
  conversationsDone
  conversationsScored
  conversationsFailed
  conversationsUngraded
  criteriaTotal
  criteriaDone
  criteriaGraded
  criteriaUngraded
  etaSeconds
}
fragment ScoreCard on Run {
  id
  name
  status
  statusReason
  createdAt
  startedAt
  finishedAt
  repeats
  scoringProfile
  dataset {
    id
    name
    officialName
    sha256
  }
  sample {
    method
    size
    seed
  }
  modelUnderTest {
    ...ModelSettings
  }
  grader {
    ...ModelSettings
  }
  graderPrompt {
    name
    sha256
  }
  origin {
    ...RunOrigin
  }
  progress {
    ...Progress
  }
  score {
    ...RunScore
  }
  scoreUnavailableReason
  warnings {
    code
    message
  }
  positiveCriteria {
    ...HitRate
  }
  negativeCriteria {
    ...HitRate
  }
  themes: tagScores(group: THEME) {
    ...TagScore
  }
  axes: tagScores(group: AXIS) {
    ...TagScore
  }
  histogram(bins: 10) {
    from
    to
    count
  }
  usage {
    model {
      ...Usage
    }
    grader {
      ...Usage
    }
  }
  worst: conversations(first: 1, filter: {status: [SCORED]}, orderBy: SCORE_ASC) {
    nodes {
      ...WorstConversation
    }
  }
  missingReasons {
    missing
    reason
    conversations
    criteria
    message
  }
}
fragment ModelSettings on ModelSettings {
  endpointName
  baseUrl
  model
  temperature
  reasoningEffort
  maxTokens
  systemMessage
  simulated
  unknown
}
fragment RunOrigin on RunOrigin {
  format
  fileName
  sha256
  importedAt
  importedBy
  recordedAt
  reportedScore
  recomputedScore
  parts {
    part
    value
    source
  }
}
fragment RunScore on RunScore {
  value
  median
  bootstrapStd
  interval {
    low
    high
    confidence
  }
  n
  coverage
  criteriaCoverage
  perfect
  belowZero
  lowerBound
  upperBound
  headline
  lengthAdjustment {
    value
    interval {
      low
      high
    }
  }
  final
}
fragment HitRate on HitRate {
  met
  graded
  rate
}
fragment TagScore on TagScore {
  tag
  label
  value
  interval {
    low
    high
  }
  n
}
fragment Usage on ModelUsage {
  calls
  promptTokens
  completionTokens
}
fragment WorstConversation on RunConversation {
  promptId
  repeat
  theme
  score
  earned
  possible
  results {
    criterion {
      text
      points
      axis
    }
    verdict {
      criteriaMet
      explanation
    }
    pointsLost
  }
}`) as unknown as TypedDocumentString<ScoreCardQuery, ScoreCardQueryVariables>;
export const RunVerdictsDocument = new TypedDocumentString(`
    subscription RunVerdicts($runId: ID!, $after: Int) {
  runVerdicts(runId: $runId, after: $after) {
    ...VerdictBatch
  }
}
    fragment Progress on RunProgress {
  conversationsTotal
  conversationsDone
  conversationsScored
  conversationsFailed
  conversationsUngraded
  criteriaTotal
  criteriaDone
  criteriaGraded
  criteriaUngraded
  etaSeconds
}
fragment VerdictBatch on VerdictBatch {
  verdicts {
    ...Verdict
  }
  cursor
  runStatus
  progress {
    ...Progress
  }
}
fragment Verdict on CriterionVerdict {
  sequence
  points
  criteriaMet
  explanation
  criterion {
    no
    text
    axis
  }
  runConversation {
    promptId
    repeat
  }
}`) as unknown as TypedDocumentString<RunVerdictsSubscription, RunVerdictsSubscriptionVariables>;
export const VerdictsDocument = new TypedDocumentString(`
    query Verdicts($runId: ID!, $first: Int, $after: String, $filter: VerdictFilter) {
  run(id: $runId) {
    verdicts(first: $first, after: $after, filter: $filter) {
      nodes {
        ...Verdict
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}
    fragment Verdict on CriterionVerdict {
  sequence
  points
  criteriaMet
  explanation
  criterion {
    no
    text
    axis
  }
  runConversation {
    promptId
    repeat
  }
}`) as unknown as TypedDocumentString<VerdictsQuery, VerdictsQueryVariables>;
export const WebhooksDocument = new TypedDocumentString(`
    query Webhooks {
  webhooks {
    ...Webhook
  }
}
    fragment Webhook on Webhook {
  id
  name
  url
  events
  enabled
  disabledReason
  previousSecretExpiresAt
}`) as unknown as TypedDocumentString<WebhooksQuery, WebhooksQueryVariables>;
export const WebhookDeliveriesDocument = new TypedDocumentString(`
    query WebhookDeliveries($id: ID!, $first: Int, $status: WebhookDeliveryStatus) {
  webhook(id: $id) {
    deliveries(first: $first, status: $status) {
      nodes {
        ...WebhookDelivery
      }
    }
  }
}
    fragment WebhookDelivery on WebhookDelivery {
  id
  messageId
  event
  status
  attempts
  responseStatus
  durationMs
  error
  createdAt
  lastAttemptAt
  nextAttemptAt
  run {
    id
    name
  }
}`) as unknown as TypedDocumentString<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;
export const CreateWebhookDocument = new TypedDocumentString(`
    mutation CreateWebhook($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    webhook {
      ...Webhook
    }
    secret
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment Webhook on Webhook {
  id
  name
  url
  events
  enabled
  disabledReason
  previousSecretExpiresAt
}`) as unknown as TypedDocumentString<CreateWebhookMutation, CreateWebhookMutationVariables>;
export const UpdateWebhookDocument = new TypedDocumentString(`
    mutation UpdateWebhook($input: UpdateWebhookInput!) {
  updateWebhook(input: $input) {
    webhook {
      ...Webhook
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment Webhook on Webhook {
  id
  name
  url
  events
  enabled
  disabledReason
  previousSecretExpiresAt
}`) as unknown as TypedDocumentString<UpdateWebhookMutation, UpdateWebhookMutationVariables>;
export const RotateWebhookSecretDocument = new TypedDocumentString(`
    mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) {
  rotateWebhookSecret(input: $input) {
    webhook {
      ...Webhook
    }
    secret
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment Webhook on Webhook {
  id
  name
  url
  events
  enabled
  disabledReason
  previousSecretExpiresAt
}`) as unknown as TypedDocumentString<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>;
export const DeleteWebhookDocument = new TypedDocumentString(`
    mutation DeleteWebhook($input: DeleteWebhookInput!) {
  deleteWebhook(input: $input) {
    webhook {
      ...Webhook
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment Webhook on Webhook {
  id
  name
  url
  events
  enabled
  disabledReason
  previousSecretExpiresAt
}`) as unknown as TypedDocumentString<DeleteWebhookMutation, DeleteWebhookMutationVariables>;
export const TestWebhookDocument = new TypedDocumentString(`
    mutation TestWebhook($input: TestWebhookInput!) {
  sent: testWebhook(input: $input) {
    delivery {
      ...WebhookDelivery
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment WebhookDelivery on WebhookDelivery {
  id
  messageId
  event
  status
  attempts
  responseStatus
  durationMs
  error
  createdAt
  lastAttemptAt
  nextAttemptAt
  run {
    id
    name
  }
}`) as unknown as TypedDocumentString<TestWebhookMutation, TestWebhookMutationVariables>;
export const RedeliverWebhookDocument = new TypedDocumentString(`
    mutation RedeliverWebhook($input: RedeliverWebhookInput!) {
  sent: redeliverWebhook(input: $input) {
    delivery {
      ...WebhookDelivery
    }
    userErrors {
      ...UserError
    }
  }
}
    fragment UserError on UserError {
  code
  message
  path
}
fragment WebhookDelivery on WebhookDelivery {
  id
  messageId
  event
  status
  attempts
  responseStatus
  durationMs
  error
  createdAt
  lastAttemptAt
  nextAttemptAt
  run {
    id
    name
  }
}`) as unknown as TypedDocumentString<RedeliverWebhookMutation, RedeliverWebhookMutationVariables>;
