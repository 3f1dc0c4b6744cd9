import { costOf } from '../endpoints/cost.js';
import { graderTemplate } from '../healthbench/graderPrompt.js';
import type { Database } from '../platform/database.js';
import type { SecretBox } from '../platform/secretBox.js';
import { type CheckedRun, checkRun, type StartRunRequest } from './checkRun.js';
import { budgetWarnings } from './budgetWarnings.js';
import { type CallLatency, loadLimits, measuredLatency } from './estimate.queries.js';
import { measureTexts, type TextSizes } from './estimate.queries.js';
import type { ModelSettings } from './modelSettings.js';
import { type Cost, costOfUsage, sumCosts } from './usage.js';

/** Characters of a token, in the mean of many languages' texts. */
const CHARACTERS_PER_TOKEN = 4;
/** A verdict with its explanation, as measured on graders that do not think aloud (HealthBench reference). */
const VERDICT_TOKENS = 92;
/** Centre of the length adjustment of HealthBench Professional: what a reply is taken to be long. */
const REPLY_CHARACTERS = 2_000;
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
  const { cost: modelCost, ...modelUnderTest } = model;
  const { cost: graderCost, ...graderEstimate } = grader;
  const totalTokens = [model, grader].reduce((sum, one) => sum + one.promptTokens + one.completionTokens, 0n);
  const estimate = {
    conversations: run.numbers.length * run.repeats,
    criteria: sizes.criteria * run.repeats,
    calls: model.calls + grader.calls,
    totalTokens,
    seconds: await duration(db, teamId, [
      { endpointId: run.modelUnderTest.endpointId, ...model },
      { endpointId: run.grader.endpointId, ...grader },
    ]),
    modelUnderTest,
    grader: graderEstimate,
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
    sizes.gradedCharacters + MESSAGE_CHARACTERS * sizes.gradedMessages + sizes.criterionCharacters + each * sizes.criteria;
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
  settings: ModelSettings,
  kind: 'reply' | 'grading',
  calls: Calls,
): Promise<ModelEstimate & { cost: bigint | null }> {
  const latency = await measuredLatency(db, teamId, settings, kind);
  const { cost, costUsd, costUnknownReason } = costOfUsage(settings.price, {
    ...calls,
    cachedTokens: null,
    reasoningTokens: null,
    unmeasuredCalls: 0,
  });
  return {
    model: settings.model,
    endpointName: settings.endpointName,
    ...calls,
    latencyMs: latency ?? assumedLatency(calls),
    latencyMeasured: latency !== null,
    cost,
    costUsd,
    costUnknownReason: costUsd === null ? 'no price: the endpoint\'s price list does not have this model' : costUnknownReason,
  };
}
