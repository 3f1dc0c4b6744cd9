import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { parseConfig } from '../../src/config.js';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../src/graphql/httpServer.js';
import { type OpenServices, openServices } from '../../src/openServices.js';
import { openDatabase } from '../../src/platform/database.js';
import { createLog } from '../../src/platform/log.js';
import { startWorkers, type Workers } from '../../src/startWorkers.js';
import type { OfficialData } from '../../src/tenancy/requestContext.js';
import type { SignInConfig } from '../../src/tenancy/signIn.js';
import { createTeam } from '../../src/tenancy/team.js';
import { cloneDatabase } from './testDatabase.js';

/** As in production, but without the waits that only a real provider needs. */
const FAST_RETRIES = { maxAttempts: 6, backoffBaseMs: 5, backoffCapMs: 100 };

const FAST_DOWNLOADS = { maxAttempts: 5, backoffMs: 5, stallMs: 400 };

const FAST_DELIVERIES = { timeoutMs: 500, waitsMs: [20, 40, 80], longestWaitMs: 1_500 };

export const OPERATOR_TOKEN = 'operator-token-of-the-tests';

// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what each test asserts
export type Data = Record<string, any>;

export interface GraphqlAnswer {
  status: number;
  data: Data | null;
  errors?: { message: string; path?: string[]; extensions: { code: string; requestId: string } }[];
}

/** The product as a user meets it: its API over real sockets, on a database of its own. */
export class Assay {
  private constructor(
    /** The service's own, but `db` is the owner's and sees every row: for looking into the database. */
    readonly services: OpenServices,
    readonly server: HttpServer,
    readonly databaseUrl: string,
    readonly dataDir: string,
    private readonly drop: () => Promise<void>,
    /** As the service itself sees the database without a team. */
    readonly serviceDb: OpenServices['db'],
  ) {}

  private workers: Workers | null = null;

  /**
   * @param options.workers false: only the API, jobs wait
   * @param options.server in place of what the server takes by default
   * @param options.settings variables of the environment
   * @param options.official in place of the official files, which no test fetches
   */
  static async start(
    options: {
      workers?: boolean;
      signIn?: SignInConfig;
      server?: Partial<HttpServerOptions>;
      settings?: Record<string, string>;
      official?: OfficialData;
    } = {},
  ): Promise<Assay> {
    const database = await cloneDatabase();
    const dataDir = await mkdtemp(path.join(tmpdir(), 'assay-test-data-'));
    const config = parseConfig({
      DATABASE_URL: database.url,
      ASSAY_DATA_DIR: dataDir,
      DATABASE_POOL: '10',
      ASSAY_MIGRATE: 'false',
      ASSAY_HEALTHBENCH_URL: 'http://127.0.0.1:9/',
      ...options.settings,
    });
    const services = await openServices(config, createLog(process.env.LOG_LEVEL ?? 'silent'));
    services.official = options.official ?? services.official;
    const owner = openDatabase(database.url, 2, () => {});
    const seeing = { ...services, db: owner.client({ name: 'app.nothing', value: '' }) };
    const server = await startHttpServer(services, {
      host: '127.0.0.1',
      port: 0,
      operatorToken: OPERATOR_TOKEN,
      maxImportBytes: 100 * 1024 * 1024,
      signIn: options.signIn ?? null,
      ...options.server,
    });
    const assay = new Assay(
      seeing,
      server,
      database.url,
      dataDir,
      async () => {
        await owner.close();
        await database.drop();
      },
      services.db,
    );
    if (options.workers !== false) assay.startWorkers();
    return assay;
  }

  startWorkers(): void {
    this.workers = startWorkers(
      { ...this.services, db: this.serviceDb },
      FAST_RETRIES,
      FAST_DOWNLOADS,
      FAST_DELIVERIES,
    );
  }

  async stopWorkers(graceMs = 1_000): Promise<void> {
    await this.workers?.stop(graceMs);
    this.workers = null;
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.stopWorkers();
    await this.services.close();
    await this.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** A new team with its admin key. */
  async team(name = `team ${crypto.randomUUID()}`): Promise<Team> {
    const { secret } = await createTeam(this.services, name);
    return new Team(this, secret);
  }

  /** One GraphQL request over HTTP. */
  async graphql(query: string, variables: Data = {}, key: string | null = null): Promise<GraphqlAnswer> {
    const response = await fetch(`${this.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ query, variables }),
    });
    const { data = null, ...rest } = (await response.json()) as Omit<GraphqlAnswer, 'status'>;
    return { status: response.status, data, ...rest };
  }
}

/** What one team does, through the public API. Every call asserts that there were no errors. */
export class Team {
  constructor(
    readonly assay: Assay,
    readonly key: string,
  ) {}

  async query(query: string, variables: Data = {}): Promise<Data> {
    const { data, errors } = await this.assay.graphql(query, variables, this.key);
    if (errors !== undefined || data === null) throw new Error(`GraphQL: ${JSON.stringify(errors)}`);
    return data;
  }

  /** Runs a mutation of one field and returns its payload, which must hold no user errors. */
  async mutate(field: string, input: Data, selection: string): Promise<Data> {
    const payload = await this.tryMutate(field, input, selection);
    if (payload.userErrors.length > 0) throw new Error(`${field}: ${JSON.stringify(payload.userErrors)}`);
    return payload;
  }

  async tryMutate(field: string, input: Data, selection: string): Promise<Data> {
    const type = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
    const inputType = { pauseRun: 'RunIdInput', resumeRun: 'RunIdInput', cancelRun: 'RunIdInput' }[field] ?? type;
    const text = `mutation ($input: ${inputType}!) {
      ${field}(input: $input) { ${selection} userErrors { code message path } }
    }`;
    return (await this.query(text, { input }))[field];
  }

  async endpoint(baseUrl: string, more: Data = {}): Promise<string> {
    const input = { name: 'provider', baseUrl, defaultModel: 'test-model', defaultGrader: 'test-grader', ...more };
    return (await this.mutate('createModelEndpoint', input, 'modelEndpoint { id }')).modelEndpoint.id;
  }

  async dataset(jsonl: string, name = 'dataset'): Promise<Data> {
    return (
      await this.mutate('importDataset', { name, jsonl }, 'created dataset { id conversationCount criterionCount }')
    ).dataset;
  }

  async start(input: Data): Promise<string> {
    return (await this.mutate('startRun', input, 'run { id }')).run.id;
  }

  async run(id: string, selection: string): Promise<Data> {
    return (await this.query(`query ($id: ID!) { run(id: $id) { ${selection} } }`, { id })).run;
  }

  /** Follows the run over the real subscription until it is over; returns every batch. */
  async watch(runId: string, after = 0, selection = 'sequence criteriaMet points'): Promise<Data[]> {
    const query = `subscription ($runId: ID!, $after: Int) { runVerdicts(runId: $runId, after: $after) {
      cursor runStatus progress { conversationsDone } verdicts { ${selection} } } }`;
    const batches: Data[] = [];
    for await (const { runVerdicts } of this.subscribe(query, { runId, after })) batches.push(runVerdicts);
    return batches;
  }

  async *subscribe(query: string, variables: Data): AsyncGenerator<Data> {
    const client = this.socket();
    try {
      for await (const { data, errors } of client.iterate<Data>({ query, variables })) {
        if (errors !== undefined) throw new Error(`GraphQL: ${JSON.stringify(errors)}`);
        yield data as Data;
      }
    } catch (ended) {
      // What ends a subscription comes as a list of GraphQL errors.
      throw Array.isArray(ended) ? new Error(`GraphQL: ${JSON.stringify(ended)}`) : ended;
    } finally {
      await client.dispose();
    }
  }

  socket() {
    return createClient({
      url: `${this.assay.server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${this.key}` },
      retryAttempts: 0,
    });
  }
}
