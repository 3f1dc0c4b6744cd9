import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { buildSchema, isInterfaceType, isObjectType, type ObjectTypeDefinitionNode, parse, print } from 'graphql';

/** The names that clients may rely on: fields are added to them, and none is renamed. */
const promised = parse(`
  type Query {
    viewer: Viewer!
    node(id: ID!): Node
    datasets(first: Int, after: String): DatasetConnection!
    dataset(id: ID!): Dataset
    runs(first: Int, after: String, filter: RunFilter, orderBy: RunOrder): RunConnection!
    run(id: ID!): Run
    compareRuns(baselineId: ID!, candidateId: ID!): RunComparison
    estimateRun(input: StartRunInput!): RunEstimate!
  }
  type Mutation {
    importDataset(input: ImportDatasetInput!): ImportDatasetPayload!
    startRun(input: StartRunInput!): StartRunPayload!
    pauseRun(input: RunIdInput!): RunPayload!
    resumeRun(input: RunIdInput!): RunPayload!
    cancelRun(input: RunIdInput!): RunPayload!
    retryRun(input: RetryRunInput!): RunPayload!
    regradeRun(input: RegradeRunInput!): StartRunPayload!
    createModelEndpoint(input: CreateModelEndpointInput!): ModelEndpointPayload!
    updateModelEndpoint(input: UpdateModelEndpointInput!): ModelEndpointPayload!
    deleteModelEndpoint(input: DeleteModelEndpointInput!): ModelEndpointPayload!
    createTeam(input: CreateTeamInput!): CreateTeamPayload!
    createApiKey(input: CreateApiKeyInput!): CreateApiKeyPayload!
    revokeApiKey(input: RevokeApiKeyInput!): RevokeApiKeyPayload!
  }
  type Subscription {
    runVerdicts(runId: ID!, after: Int): VerdictBatch!
    runProgress(runId: ID!): Run!
  }
  type Run {
    id: ID!
    name: String!
    status: RunStatus!
    dataset: Dataset!
    repeats: Int!
    createdAt: DateTime!
    startedAt: DateTime
    finishedAt: DateTime
    modelUnderTest: ModelSettings!
    grader: ModelSettings!
    scoringProfile: String!
    progress: RunProgress!
    score: RunScore
    positiveCriteria: HitRate!
    negativeCriteria: HitRate!
    tagScores(group: TagGroup): [TagScore!]!
    histogram(bins: Int): [HistogramBin!]!
    usage: RunUsage!
    conversations(
      first: Int, after: String, filter: RunConversationFilter, orderBy: RunConversationOrder
    ): RunConversationConnection!
    verdicts(first: Int, after: String, filter: VerdictFilter): CriterionVerdictConnection!
  }
  type RunScore {
    value: Float!
    unclippedMean: Float!
    median: Float!
    bootstrapStd: Float
    interval: Interval
    n: Int!
    coverage: Float!
    perfect: Int!
    belowZero: Int!
    lengthAdjusted: Float
  }
  type HitRate { met: Int!, graded: Int!, rate: Float }
  type CriterionVerdict {
    id: ID!
    sequence: Int!
    criterion: RubricCriterion!
    points: Float!
    criteriaMet: Boolean!
    explanation: String!
    gradedAt: DateTime!
  }
  type VerdictBatch { verdicts: [CriterionVerdict!]!, cursor: Int!, progress: RunProgress!, runStatus: RunStatus! }
  type UserError { code: String!, message: String!, path: [String!]! }
`).definitions as ObjectTypeDefinitionNode[];

const inputs = {
  StartRunInput: 'idempotencyKey name datasetId sample repeats modelUnderTest grader scoringProfile budget',
  SampleInput: 'size seed method promptIds',
  ModelInput: 'endpointId model temperature reasoningEffort maxTokens systemMessage',
  GraderInput: 'endpointId model temperature reasoningEffort maxTokens systemMessage templateId',
  ImportDatasetInput: 'name jsonl idempotencyKey',
};

const enums = {
  RunStatus: 'QUEUED RUNNING PAUSED CANCELLED COMPLETED FAILED',
  SampleMethod: 'ALL FIRST PYTHON_RANDOM PANDAS',
  TagGroup: 'THEME AXIS LEVEL CLUSTER',
};

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));

it.each(promised.map((type) => [type.name.value, type] as const))('%s has every promised field', (name, type) => {
  const found = schema.getType(name);
  const fields = isObjectType(found) || isInterfaceType(found) ? found.getFields() : {};
  for (const promise of type.fields ?? []) {
    const field = fields[promise.name.value];
    expect(`${promise.name.value}: ${field?.type}`).toBe(`${promise.name.value}: ${print(promise.type)}`);
    const given = Object.fromEntries(field?.args.map((arg) => [arg.name, String(arg.type)]) ?? []);
    for (const arg of promise.arguments ?? []) expect(given).toHaveProperty(arg.name.value, print(arg.type));
  }
});

it.each(Object.entries({ ...inputs, ...enums }))('%s has every promised name', (type, names) => {
  const node = schema.getType(type)?.astNode;
  const found = node && 'fields' in node ? node.fields : node && 'values' in node ? node.values : [];
  expect(found?.map((part) => part.name.value)).toEqual(expect.arrayContaining(names.split(' ')));
});

it('has one input and the user errors in every mutation', () => {
  for (const { name, args, type } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    expect([name, ...args.map((arg) => arg.name)]).toEqual([name, 'input']);
    const payload = schema.getType(String(type).replace('!', ''));
    expect(isObjectType(payload) && `${name} ${payload.getFields().userErrors?.type}`).toBe(`${name} [UserError!]!`);
  }
});

it('shows no name of the code’s own making', () => {
  const suffixed = Object.keys(schema.getTypeMap()).filter((name) =>
    /[a-z](Type|Enum|InputType|FilterInput)$/.test(name),
  );
  expect(suffixed).toEqual([]);
});
