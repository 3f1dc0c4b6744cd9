import type { GraphQLSchema } from 'graphql';
import type { Client } from 'graphql-ws';
import { parseGlobalId } from '../../../src/platform/relay/globalId.js';
import type { Assay, Data, GraphqlAnswer } from '../assay.js';
import { OPERATOR_TOKEN, Team } from '../assay.js';
import { conversations, jsonl, type TestConversation } from '../dataset.js';
import { eventually } from '../household.js';
import { runnerFile, runnerResult } from '../importFiles.js';
import {
  type AnyField,
  entityTypes,
  fieldsIn,
  type Operation,
  objectTypes,
  operation,
  routesFrom,
  type Step,
  textsIn,
} from './routes.js';
import { argumentsWith, entityOf, type Slot } from './slots.js';

export type Answer = Pick<GraphqlAnswer, 'data' | 'errors'>;

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT/.test(text);

/** A team with something of everything, and what its own crawl through the schema brings to light. */
export class World {
  /** Global ids by type. */
  readonly ids = new Map<string, string[]>();
  readonly cursors = new Set<string>();
  readonly texts = new Set<string>();
  /** `Type.field` for what was read of an object that was there. */
  readonly fields = new Set<string>();
  readonly idempotencyKey: string;
  readonly dataset: string;
  readonly conversations: TestConversation[];
  /** A run that differs from the first in its grader only. */
  regrade = '';
  imported = '';
  readonly #client: Client;

  private constructor(
    readonly schema: GraphQLSchema,
    readonly assay: Assay,
    readonly team: Team,
    readonly name: string,
  ) {
    this.idempotencyKey = `key of ${name}`;
    this.conversations = conversations(12).map((one) => ({ ...one, promptId: `${name} ${one.promptId}` }));
    this.dataset = jsonl(this.conversations);
    this.#client = team.socket();
  }

  /** @param name stands in every text that the team writes */
  static async make(schema: GraphQLSchema, assay: Assay, name: string, providerUrl: string): Promise<World> {
    const world = new World(schema, assay, await assay.team(`${name} team`), name);
    const { team, idempotencyKey } = world;
    // The first of its type is the one that a trial may revoke.
    const key = { name: `${name} key`, role: 'RUNNER' };
    const { apiKey, secret } = await team.mutate('createApiKey', key, 'apiKey { id } secret');
    world.#note('ApiKey', apiKey.id);
    const prices = ['test-model', 'test-grader'].map((model) => ({
      model,
      promptUsdPerMillion: 1,
      cachedPromptUsdPerMillion: 0.5,
      completionUsdPerMillion: 2,
    }));
    const endpoint = { name: `${name} endpoint`, maxConcurrency: 64, prices };
    world.#note('ModelEndpoint', await team.endpoint(providerUrl, endpoint));
    // Nobody listens there: what the runs tell waits for another attempt.
    const hook = { name: `${name} webhook`, url: `http://127.0.0.1:9/${name}` };
    world.#note('Webhook', (await team.mutate('createWebhook', hook, 'webhook { id }')).webhook.id);
    const template = { name: `${name} template`, text: `${name}: <<conversation>> <<rubric_item>>` };
    // By that key, so that the audit log knows of it.
    const made = await new Team(assay, secret).mutate('createGraderTemplate', template, 'graderTemplate { id }');
    world.#note('GraderTemplate', made.graderTemplate.id);
    const datasetId = (await team.dataset(world.dataset, `${name} dataset`)).id;
    world.#note('Dataset', datasetId);
    // No file is there to be fetched: what stays is the download that failed.
    const source = { source: 'HEALTHBENCH_HARD', name: `${name} download` };
    const { download } = await team.mutate('importDataset', source, 'download { id }');
    world.#note('DatasetDownload', download.id);
    await eventually(
      async () => (await team.query('{ datasetDownloads { status } }')).datasetDownloads[0].status === 'FAILED',
    );
    const budget = { maxCostUsd: 1_000, maxCalls: 1e6, maxTokens: 1e9 };
    const whole = { idempotencyKey, budget, repeats: 2, scoring: { lengthVariant: 'MAIN' } };
    for (const run of [whole, { sample: { method: 'FIRST', size: 2 } }]) {
      const runId = await team.start({ datasetId, name: `${name} run`, ...run });
      world.#note('Run', runId);
      await team.watch(runId);
    }
    // Two runs that differ: another grader on the same replies.
    const runId = world.ids.get('Run')?.[0];
    const regrade = { runId, name: `${name} regrade`, grader: { model: 'another-grader' } };
    world.regrade = (await team.mutate('regradeRun', regrade, 'run { id }')).run.id;
    world.#note('Run', world.regrade);
    await team.watch(world.regrade);
    await world.#import(datasetId);
    await world.#crawl();
    return world;
  }

  /** A run of another harness, in which everything that can be said is said. */
  async #import(datasetId: string): Promise<void> {
    const { team, name } = this;
    const runner = runnerFile(this.conversations.map((one) => runnerResult(one)));
    const input = { file: runner, fileName: `${name} file`, datasetId, name: `${name} import` };
    this.imported = (await team.mutate('importRun', input, 'run { id }')).run.id;
    this.#note('Run', this.imported);
  }

  /** Every row of the team, counted and hashed by table. */
  async stateOfRows(): Promise<string> {
    const { db } = this.assay.services;
    const id = parseGlobalId(this.ids.get('Team')?.[0] as string)?.parts[0];
    const tables = await db.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'team_id' ORDER BY 1`;
    const states = [];
    for (const { name } of tables) {
      const [row] = await db.$queryRawUnsafe<{ state: string }[]>(
        `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS state
         FROM ${name} t WHERE team_id = '${id}'`,
      );
      states.push(`${name}: ${row?.state}`);
    }
    return states.join('\n');
  }

  #note(type: string, id: string): void {
    const known = this.ids.get(type) ?? [];
    if (!known.includes(id)) this.ids.set(type, [...known, id]);
  }

  /** The way to the objects of a type, with the team's own ids. Null: only by a mutation or subscription. */
  stepsTo(typeName: string): Step[] | null {
    const route = routesFrom(this.schema).get(typeName);
    // Only an imported run has an origin.
    const imported = route?.some(({ name }) => name === 'origin') ?? false;
    const id: Slot = { path: ['id'], kind: 'id', list: false };
    return (
      route?.map((field, at) => (imported && at === 0 ? this.step(field, id, this.imported) : this.step(field))) ?? null
    );
  }

  step(field: AnyField, slot: Slot | null = null, value: string | null = null): Step {
    return { field, args: argumentsWith(field, slot, value, (place) => this.idFor(field, place)) };
  }

  idFor(field: AnyField, slot: Slot): string {
    // A run compared with itself would show nothing.
    if (slot.path.at(-1) === 'candidateId') return this.regrade;
    const type = entityOf(field, slot, entityTypes(this.schema)) ?? 'Run';
    return this.ids.get(type)?.[0] ?? `no ${type}`;
  }

  /** Reads every field of every type that can be reached by queries. */
  async #crawl(): Promise<void> {
    for (const type of objectTypes(this.schema)) {
      const steps = this.stepsTo(type.name);
      if (steps === null) continue;
      if (steps.length > 0) await this.#read(operation('query', steps));
      for (const field of Object.values(type.getFields())) {
        await this.#read(operation('query', [...steps, this.step(field)]));
      }
    }
    for (const type of entityTypes(this.schema)) for (const id of this.ids.get(type) ?? []) this.texts.add(id);
  }

  async #read(operation: Operation): Promise<void> {
    this.#learn(await this.overHttp(operation));
  }

  #learn({ data }: Answer): void {
    for (const field of fieldsIn(data)) this.fields.add(field);
    for (const text of textsIn(data)) if (text.length > 4 && !isTime(text)) this.texts.add(text);
    this.#collect(data);
  }

  #collect(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#collect(item);
    else if (typeof value === 'object' && value !== null) {
      const { __typename: type, id, endCursor, cursor, ...inner } = value as Data;
      if (typeof id === 'string') this.#note(type, id);
      for (const text of [endCursor, cursor]) if (typeof text === 'string') this.cursors.add(text);
      for (const item of Object.values(inner)) this.#collect(item);
    }
  }

  /** With the operator's token where the schema wants an operator. */
  async overHttp({ query, variables }: Operation): Promise<Answer> {
    const { data, errors } = await this.assay.graphql(query, variables, this.team.key);
    if (errors?.some(({ message }) => message.startsWith('This needs the role OPERATOR'))) {
      return this.assay.graphql(query, variables, OPERATOR_TOKEN);
    }
    return { data, ...(errors === undefined ? {} : { errors }) };
  }

  /** The first answer over the WebSocket. */
  async overSocket({ query, variables }: Operation): Promise<Answer> {
    try {
      for await (const { data, errors } of this.#client.iterate<Data>({ query, variables })) {
        return JSON.parse(JSON.stringify({ data: data ?? null, errors }));
      }
      return { data: null };
    } catch (errors) {
      if (!Array.isArray(errors)) throw errors;
      return { data: null, errors };
    }
  }

  /** What only this team can know. */
  secretsFrom(other: World): Set<string> {
    // A short sentence such as "1 of 13 criteria", or a number, may come up in both by chance.
    const byChance = (text: string) => /^-?[\d.]+$/.test(text) || (/\s/.test(text) && text.length <= 100);
    const telling = (text: string) => text.includes(this.name) || !byChance(text);
    return new Set([...this.texts].filter((text) => telling(text) && !other.texts.has(text)));
  }

  close(): Promise<void> | void {
    return this.#client.dispose();
  }
}
