import { graderTemplate } from '../healthbench/graderPrompt.js';
import type { Database } from '../platform/database.js';
import type { SecretBox } from '../platform/secretBox.js';
import { budgetWarnings } from './budgetWarnings.js';
import { type CheckedRun, checkRun, type StartRunRequest } from './checkRun.js';
import { loadLimits, measuredLatency, measureTexts, type TextSizes } from './estimate.queries.js';
import type { EndpointSettings } from './modelSettings.js';
import { type Cost, costOfUsage, sumCosts } from './usage.js';

/** Characters of a token, in the mean of many languages' texts. */
const CHARACTERS_PER_TOKEN = 4;
/** A verdict with its explanation, as measured on graders that do not think aloud (HealthBench reference). */
const VERDICT_TOKENS = 92;
/** Centre of the length adjustment of HealthBench Professional: what a reply is taken to be long. */
const REPLY_CHARACTERS = 2_000;
/** Of a call whose latency has not been measured: a start, and the tokens at a middling speed. */
const ASSUMED_START_MS = 500;
const ASSUMED_TOKENS_PER_SECOND = 50;
/** What a message's role and separators add to its text, in characters. */
const MESSAGE_CHARACTERS = 14;

export interface ModelEstimate extends Cost {
  model: string;
  endpointName: string;
  calls: number;
  promptTokens: bigint;
  completionTokens: bigint;
  /** ms of a call. */
  latencyMs: number;
  latencyMeasured: boolean;
}

export interface RunEstimate extends Cost {
  conversations: number;
  criteria: number;
  calls: number;
  totalTokens: bigint;
  /** s */
  seconds: number;
  modelUnderTest: ModelEstimate;
  grader: ModelEstimate;
  budgetWarnings: string[];
}

/**
 * What a run would take, by the texts: nothing is spent and nothing is stored. Checks the input as startRun
 * does and throws the same. Failed calls and thinking are not in it.
 */
export async function estimateRun(
  services: { db: Database; secrets: SecretBox },
  teamId: string,
  input: StartRunRequest,
): Promise<RunEstimate> {
  const { db, secrets } = services;
  const run = await checkRun(db, secrets, teamId, input);
  const sizes = await measureTexts(db, run.dataset.id, run.numbers);
  const [model, grader] = await Promise.all([
    modelEstimate(db, teamId, run.modelUnderTest, 'reply', replyCalls(run, sizes)),
    modelEstimate(db, teamId, run.grader, 'grading', gradingCalls(run, sizes)),
  ]);
  const estimate = {
    conversations: run.numbers.length * run.repeats,
    criteria: sizes.criteria * run.repeats,
    calls: model.calls + grader.calls,
    totalTokens: [model, grader].reduce((sum, one) => sum + one.promptTokens + one.completionTokens, 0n),
    seconds: await duration(db, teamId, [
      { endpointId: run.modelUnderTest.endpointId, ...model },
      { endpointId: run.grader.endpointId, ...grader },
    ]),
    modelUnderTest: model,
    grader,
    ...sumCosts([model, grader]),
  };
  return { ...estimate, budgetWarnings: budgetWarnings(run.budget, estimate) };
}

interface Calls {
  calls: number;
  promptTokens: bigint;
  completionTokens: bigint;
}

const tokens = (characters: number): bigint => BigInt(Math.ceil(characters / CHARACTERS_PER_TOKEN));

function replyCalls({ repeats, modelUnderTest }: CheckedRun, sizes: TextSizes): Calls {
  const { systemMessage, maxTokens } = modelUnderTest;
  const system = systemMessage === null ? 0 : systemMessage.length + MESSAGE_CHARACTERS;
  const characters = sizes.messageCharacters + MESSAGE_CHARACTERS * sizes.messages + system * sizes.conversations;
  const reply = Math.min(REPLY_CHARACTERS / CHARACTERS_PER_TOKEN, maxTokens ?? Number.POSITIVE_INFINITY);
  return {
    calls: sizes.conversations * repeats,
    promptTokens: tokens(characters * repeats),
    completionTokens: BigInt(sizes.conversations * repeats * reply),
  };
}

/** Each prompt holds the template, the conversation with the reply, and one criterion with its points. */
function gradingCalls({ repeats, modelUnderTest, grader, template }: CheckedRun, sizes: TextSizes): Calls {
  const own = [modelUnderTest, grader].reduce((sum, { systemMessage }) => sum + (systemMessage?.length ?? 0), 0);
  const each = graderTemplate(template.text).text.length + REPLY_CHARACTERS + 3 * MESSAGE_CHARACTERS + own;
  const characters =
    sizes.gradedCharacters +
    MESSAGE_CHARACTERS * sizes.gradedMessages +
    sizes.criterionCharacters +
    each * sizes.criteria;
  const calls = sizes.criteria * repeats;
  return {
    calls,
    promptTokens: tokens(characters * repeats),
    completionTokens: BigInt(calls * Math.min(VERDICT_TOKENS, grader.maxTokens ?? VERDICT_TOKENS)),
  };
}

async function modelEstimate(
  db: Database,
  teamId: string,
  settings: EndpointSettings,
  kind: 'reply' | 'grading',
  calls: Calls,
): Promise<ModelEstimate & { cost: bigint | null }> {
  const latency = await measuredLatency(db, teamId, settings, kind);
  const usage = { ...calls, cachedTokens: null, reasoningTokens: null, unmeasuredCalls: 0 };
  const { cost, costUsd } = costOfUsage(settings.price, usage);
  const { model, endpointName } = settings;
  return {
    model,
    endpointName,
    ...calls,
    latencyMs: latency ?? assumedLatency(calls),
    latencyMeasured: latency !== null,
    cost,
    costUsd,
    costUnknownReason:
      cost === null ? `no price: the endpoint “${endpointName}” has none for the model “${model}”` : null,
  };
}

const assumedLatency = ({ calls, completionTokens }: Calls): number =>
  ASSUMED_START_MS + ((Number(completionTokens) / calls) * 1000) / ASSUMED_TOKENS_PER_SECOND;

const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * Seconds until all is done when every endpoint is kept as busy as its limits and the team's allow. Replies and gradings
 * overlap, so the slowest endpoint decides.
 */
async function duration(
  db: Database,
  teamId: string,
  parts: (Calls & { endpointId: string; latencyMs: number })[],
): Promise<number> {
  const ids = [...new Set(parts.map(({ endpointId }) => endpointId))];
  const [limits, team] = await Promise.all([
    loadLimits(db, teamId, ids),
    db.team.findUniqueOrThrow({ where: { id: teamId }, select: { maxConcurrency: true } }),
  ]);
  const busy = (own: typeof parts): number =>
    own.reduce((sum, { calls, latencyMs }) => sum + calls * latencyMs, 0) / 1000;
  const seconds = limits.flatMap(({ id, maxConcurrency, requestsPerMinute, tokensPerMinute }) => {
    const own = parts.filter(({ endpointId }) => endpointId === id);
    const calls = own.reduce((sum, part) => sum + part.calls, 0);
    const tokens = own.reduce((sum, part) => sum + Number(part.promptTokens + part.completionTokens), 0);
    const minutes = [calls / (requestsPerMinute ?? UNLIMITED), tokens / (tokensPerMinute ?? UNLIMITED)];
    return [busy(own) / maxConcurrency, ...minutes.map((each) => each * 60)];
  });
  return Math.max(busy(parts) / (team.maxConcurrency ?? UNLIMITED), ...seconds);
}
