import { type Assay, type Data, OPERATOR_TOKEN, type Team } from './assay.js';
import { conversations, jsonl } from './dataset.js';
import { simpleEvals, simpleEvalsEntry } from './importFiles.js';

export interface Attempt {
  input: Data;
  /** Instead of the team's admin key. */
  key?: string;
  /** The team and its log are gone afterwards. */
  erases?: boolean;
}

const template = { name: 'template', text: '<<conversation>> <<rubric_item>>' };
const aRun = async (team: Team): Promise<string> => {
  await team.endpoint('http://127.0.0.1:9/v1');
  return team.start({ datasetId: (await team.dataset(jsonl(conversations(2)))).id });
};
const aKey = async (team: Team): Promise<string> =>
  (await team.mutate('createApiKey', { name: 'key', role: 'VIEWER' }, 'apiKey { id }')).apiKey.id;
const nameOf = async (team: Team): Promise<string> =>
  (await team.query('{ viewer { team { name } } }')).viewer.team.name;

const aWebhook = async (team: Team): Promise<string> =>
  (await team.mutate('createWebhook', { name: 'ci', url: 'http://127.0.0.1:9/hook' }, 'webhook { id }')).webhook.id;

/** For each mutation an input that succeeds, and what must be there before. A new mutation is added here. */
export const everyMutation: Record<string, (team: Team, assay: Assay) => Promise<Attempt>> = {
  createApiKey: async () => ({ input: { name: 'key', role: 'VIEWER' } }),
  updateApiKey: async (team) => ({ input: { apiKeyId: await aKey(team), role: 'RUNNER' } }),
  revokeApiKey: async (team) => ({ input: { apiKeyId: await aKey(team) } }),
  createTeam: async () => ({ key: OPERATOR_TOKEN, input: { name: `made ${crypto.randomUUID()}` } }),
  updateTeam: async (team) => ({ key: OPERATOR_TOKEN, input: { name: await nameOf(team), maxConcurrency: 5 } }),
  createModelEndpoint: async () => ({ input: { name: 'provider', baseUrl: 'http://127.0.0.1:9/v1' } }),
  updateModelEndpoint: async (team) => ({
    input: { endpointId: await team.endpoint('http://127.0.0.1:9/v1'), name: 'renamed' },
  }),
  deleteModelEndpoint: async (team) => ({ input: { endpointId: await team.endpoint('http://127.0.0.1:9/v1') } }),
  testModelEndpoint: async (team) => ({ input: { endpointId: await team.endpoint('http://127.0.0.1:9/v1') } }),
  importDataset: async () => ({ input: { name: 'dataset', jsonl: jsonl(conversations(2)) } }),
  importRun: async (team) => ({
    input: {
      datasetId: (await team.dataset(jsonl(conversations(2)))).id,
      file: simpleEvals(conversations(2).map((one) => simpleEvalsEntry(one))),
      modelUnderTest: { model: 'model' },
      grader: { model: 'grader' },
    },
  }),
  archiveDataset: async (team) => ({ input: { datasetId: (await team.dataset(jsonl(conversations(2)))).id } }),
  deleteDataset: async (team) => ({ input: { datasetId: (await team.dataset(jsonl(conversations(2)))).id } }),
  createGraderTemplate: async () => ({ input: template }),
  startRun: async (team) => {
    await team.endpoint('http://127.0.0.1:9/v1');
    return { input: { datasetId: (await team.dataset(jsonl(conversations(2)))).id } };
  },
  updateRunBudget: async (team) => {
    await team.endpoint('http://127.0.0.1:9/v1');
    const datasetId = (await team.dataset(jsonl(conversations(2)))).id;
    return { input: { runId: await team.start({ datasetId, budget: { maxCalls: 10 } }), maxCalls: 20 } };
  },
  pauseRun: async (team) => ({ input: { runId: await aRun(team) } }),
  resumeRun: async (team) => {
    const runId = await aRun(team);
    await team.mutate('pauseRun', { runId }, 'run { id }');
    return { input: { runId } };
  },
  cancelRun: async (team) => ({ input: { runId: await aRun(team) } }),
  retryRun: async (team, { services: { db } }) => {
    const runId = await aRun(team);
    // As if every conversation had failed: no worker runs here.
    const { id } = await db.run.findFirstOrThrow({ orderBy: { id: 'desc' } });
    await db.run.update({ where: { id }, data: { status: 'FAILED', finishedAt: new Date() } });
    await db.runConversation.updateMany({ where: { runId: id }, data: { status: 'FAILED', reason: 'internal' } });
    return { input: { runId } };
  },
  regradeRun: async (team, { services: { db } }) => {
    const runId = await aRun(team);
    // As if the run were over, with one reply: no worker runs here.
    const { id, teamId } = await db.run.findFirstOrThrow({ orderBy: { id: 'desc' } });
    await db.run.update({ where: { id }, data: { status: 'CANCELLED', finishedAt: new Date() } });
    await db.reply.create({ data: { teamId, runId: id, ordinal: 0, text: 'invented', latencyMs: 1, attempts: 1 } });
    return { input: { runId } };
  },
  createWebhook: async () => ({ input: { name: 'ci', url: 'http://127.0.0.1:9/hook' } }),
  updateWebhook: async (team) => ({ input: { webhookId: await aWebhook(team), name: 'renamed' } }),
  rotateWebhookSecret: async (team) => ({ input: { webhookId: await aWebhook(team) } }),
  testWebhook: async (team) => ({ input: { webhookId: await aWebhook(team) } }),
  redeliverWebhook: async (team) => {
    const webhookId = await aWebhook(team);
    const { delivery } = await team.mutate('testWebhook', { webhookId }, 'delivery { id }');
    return { input: { deliveryId: delivery.id } };
  },
  deleteWebhook: async (team) => ({ input: { webhookId: await aWebhook(team) } }),
  deleteRun: async (team) => ({ input: { runId: await aRun(team) } }),
  updateRetention: async () => ({ input: { deleteRunsAfterDays: 30, keepAggregates: true } }),
  applyRetention: async (team) => {
    await team.mutate('updateRetention', { deleteRunsAfterDays: 30 }, 'retention { expiredRuns }');
    return { input: { deleteRunsAfterDays: 30 } };
  },
  eraseTeam: async (team) => ({ input: { confirm: await nameOf(team) }, erases: true }),
  eraseTeamById: async (team) => {
    const { viewer } = await team.query('{ viewer { team { id name } } }');
    return { key: OPERATOR_TOKEN, input: { teamId: viewer.team.id, confirm: viewer.team.name }, erases: true };
  },
};
