import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { assaySchema } from '../src/graphql/schema.js';
import { Assay, type Data, OPERATOR_TOKEN, Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { everyMutation } from './support/everyMutation.js';

const mutations = Object.values(assaySchema().getMutationType()?.getFields() ?? {});
const EVENTS = `auditEvents(first: 200) { nodes { id at action outcome code actorKind actorName actorRole apiKeyId
  address requestId subjectType subjectId subjectName details { name value } } }`;

describe('audit log', () => {
  let assay: Assay;
  let team: Team;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team('audited');
  });
  afterAll(() => assay.close());

  const events = async (of: Team = team): Promise<Data[]> => (await of.query(`{ ${EVENTS} }`)).auditEvents.nodes;

  describe('of every mutation', () => {
    it.each(mutations.map((field) => field.name))('%s leaves one event, committed with it', async (name) => {
      const attempt = everyMutation[name];
      if (attempt === undefined) throw new Error(`test/support/everyMutation.ts does not know ${name}: add it.`);
      const own = await assay.team();
      const { key, input, erases } = await attempt(own, assay);
      const before = (await events(own)).filter((event) => event.action === name).length;
      const type = getNullableType(mutations.find((field) => field.name === name)?.args[0]?.type as GraphQLInputType);
      const answer = await assay.graphql(
        `mutation ($input: ${type}!) { ${name}(input: $input) { __typename userErrors { message } } }`,
        { input },
        key ?? own.key,
      );
      expect(answer.errors).toBeUndefined();
      expect(answer.data?.[name].userErrors).toEqual([]);
      if (erases) {
        const [erased] = await assay.services.db.erasedTeam.findMany({ orderBy: { at: 'desc' }, take: 1 });
        expect(erased).toMatchObject({ by: key === undefined ? 'KEY' : 'OPERATOR', deleted: { team: 1, apiKey: 1 } });
        return;
      }
      const found =
        key === undefined
          ? (await events(own)).filter((event) => event.action === name)
          : await assay.services.db.auditEvent.findMany({ where: { action: name } });
      expect(found.length - before).toBe(1);
      expect(found[0]).toMatchObject({
        outcome: 'DONE',
        code: null,
        address: expect.stringMatching(/127\.0\.0\.1$/),
        requestId: expect.any(String),
      });
      expect(found[0]?.actorKind).toBe(key === OPERATOR_TOKEN ? 'OPERATOR' : 'KEY');
    });

    it.each(mutations.map((field) => field.name))('%s leaves an event when it is refused', async (name) => {
      const { secret } = (await team.mutate('createApiKey', { name: 'reader', role: 'VIEWER' }, 'secret')) as Data;
      const type = mutations.find((field) => field.name === name)?.args[0]?.type as GraphQLInputType;
      const count = () => assay.services.db.auditEvent.count({ where: { action: name, outcome: 'REFUSED' } });
      const before = await count();
      const answer = await assay.graphql(
        `mutation ($input: ${type}) { ${name}(input: $input) { __typename } }`,
        { input: filled(type) },
        secret,
      );
      expect(answer.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
      expect(await count()).toBe(before + 1);
    });

    it('tells nothing of what a text in the input says', async () => {
      const poisoned = await assay.team();
      for (const { name, args } of mutations) {
        const type = args[0]?.type as GraphQLInputType;
        const query = `mutation ($input: ${type}) { ${name}(input: $input) { __typename } }`;
        await assay.graphql(query, { input: filled(type) }, poisoned.key);
      }
      const rows = await assay.services.db.auditEvent.findMany({ where: { outcome: { not: 'DONE' } } });
      expect(rows.length).toBeGreaterThan(mutations.length);
      expect(JSON.stringify(rows)).not.toContain('poison');
      expect(JSON.stringify(rows)).toContain('(withheld)');
    });
  });

  it('says who did what to what, when, from where and with which key', async () => {
    const own = await assay.team();
    const { secret, apiKey } = await own.mutate('createApiKey', { name: 'ci', role: 'ADMIN' }, 'secret apiKey { id }');
    const ci = new Team(assay, secret);
    const input = { name: 'provider', baseUrl: 'https://models.example/v1', apiKey: 'sk-not-for-the-log-1234' };
    const { modelEndpoint } = await ci.mutate('createModelEndpoint', input, 'modelEndpoint { id }');
    const [event] = await events(own);
    expect(event).toMatchObject({
      action: 'createModelEndpoint',
      outcome: 'DONE',
      actorKind: 'KEY',
      actorName: 'ci',
      actorRole: 'ADMIN',
      apiKeyId: apiKey.id,
      subjectType: 'ModelEndpoint',
      subjectId: modelEndpoint.id,
      subjectName: 'provider',
    });
    expect(Date.now() - Date.parse(event?.at)).toBeLessThan(60_000);
    expect(event?.details).toEqual(
      expect.arrayContaining([
        { name: 'apiKey', value: '(withheld)' },
        { name: 'baseUrl', value: 'models.example' },
        { name: 'name', value: 'provider' },
      ]),
    );
  });

  it('holds no secret and no text of a conversation, whatever was done', async () => {
    const own = await assay.team();
    const text = jsonl(conversations(2)).replaceAll('invented ailment', 'very private ailment');
    const dataset = await own.dataset(text);
    await own.endpoint('http://127.0.0.1:9/v1', { apiKey: 'sk-secret-of-the-provider-99' });
    await own.mutate('createApiKey', { name: 'sk-pasted-by-mistake-123456', role: 'VIEWER' }, 'secret');
    const systemMessage = 'very private instruction';
    await own.start({ datasetId: dataset.id, modelUnderTest: { systemMessage } });
    const all = JSON.stringify(await assay.services.db.auditEvent.findMany());
    for (const word of ['private', 'Question', 'Criterion 0', 'sk-secret', 'pasted', own.key]) {
      expect([word, all.includes(word)]).toEqual([word, false]);
    }
  });

  it('tells of a refused change with its code, and the change is not made', async () => {
    const own = await assay.team();
    const endpoint = await own.endpoint('https://models.example/v1', { apiKey: 'sk-1234567890abc' });
    const move = { endpointId: endpoint, baseUrl: 'https://elsewhere.example/v1' };
    const answer = await own.tryMutate('updateModelEndpoint', move, 'modelEndpoint { id }');
    expect(answer.userErrors).toHaveLength(1);
    const [event] = await events(own);
    expect(event).toMatchObject({ outcome: 'REFUSED', code: 'INVALID_INPUT', subjectId: endpoint });
    expect((await own.query('{ modelEndpoints { baseUrl } }')).modelEndpoints[0].baseUrl).toContain('models.example');
  });

  it('leaves no event without its change, and no change without its event', async () => {
    const own = await assay.team();
    const { db } = assay.services;
    await db.$executeRaw`ALTER TABLE audit_event ADD CONSTRAINT broken CHECK (action <> 'createGraderTemplate') NOT VALID`;
    const query = `mutation { createGraderTemplate(input: { name: "t", text: "<<conversation>> <<rubric_item>>" }) {
      userErrors { code } } }`;
    const { errors } = await assay.graphql(query, {}, own.key);
    await db.$executeRaw`ALTER TABLE audit_event DROP CONSTRAINT broken`;
    expect(errors?.[0]?.extensions.code).toBe('INTERNAL_SERVER_ERROR');
    expect((await own.query('{ graderTemplates { name } }')).graderTemplates).toHaveLength(1);
  });

  it('writes down an upload, also one that is refused', async () => {
    const own = await assay.team();
    const post = (body: string) =>
      fetch(`${assay.server.url}/datasets?name=uploaded`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own.key}`, 'content-type': 'application/x-ndjson' },
        body,
      });
    await post(jsonl(conversations(2)));
    await post('{"broken');
    expect(await events(own)).toMatchObject([
      { action: 'importDataset', outcome: 'REFUSED', code: 'INVALID_INPUT' },
      { action: 'importDataset', outcome: 'DONE', subjectType: 'Dataset', subjectName: 'uploaded' },
    ]);
  });

  it('is for admins of the team alone', async () => {
    const { secret } = await team.mutate('createApiKey', { name: 'runner', role: 'RUNNER' }, 'secret');
    for (const key of [secret, OPERATOR_TOKEN]) {
      const { errors } = await assay.graphql(`{ ${EVENTS} }`, {}, key);
      expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    }
    const stranger = await assay.team();
    expect(await events(stranger)).toEqual([]);
  });

  it('can be filtered, and is read in pages that new events do not disturb', async () => {
    const own = await assay.team();
    for (let i = 0; i < 7; i += 1) await own.mutate('createApiKey', { name: `key ${i}`, role: 'VIEWER' }, 'secret');
    const page = `query ($after: String, $filter: AuditEventFilter) { auditEvents(first: 3, after: $after, filter: $filter) {
      totalCount nodes { subjectName subjectId } pageInfo { endCursor hasNextPage } } }`;
    const filter = { action: 'createApiKey', outcome: 'DONE' };
    const names: string[] = [];
    for (let after: string | null = null; ; ) {
      const { auditEvents } = await own.query(page, { after, filter });
      names.push(...auditEvents.nodes.map((node: Data) => node.subjectName));
      await own.mutate('createApiKey', { name: 'meanwhile', role: 'VIEWER' }, 'secret');
      after = auditEvents.pageInfo.endCursor;
      if (!auditEvents.pageInfo.hasNextPage) break;
    }
    expect(names).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `key ${i}`));
    const [newest] = (await own.query(page, { filter: {} })).auditEvents.nodes;
    const only = async (more: Data) => (await own.query(page, { filter: more })).auditEvents.totalCount;
    expect(await only({ subjectId: newest.subjectId })).toBe(1);
    expect(await only({ subjectId: 'nonsense' })).toBe(0);
    expect(await only({ since: new Date(Date.now() + 60_000).toISOString() })).toBe(0);
    expect(await only({ actor: 'admin', until: new Date(Date.now() + 60_000).toISOString() })).toBe(10);
    expect(await only({ apiKeyId: newest.subjectId })).toBe(0);
  });

  it('is exported as JSONL, oldest first, and the export is an event too', async () => {
    const own = await assay.team();
    await own.endpoint('http://127.0.0.1:9/v1');
    const get = (key: string, search = '') =>
      fetch(`${assay.server.url}/audit/export${search}`, { headers: { authorization: `Bearer ${key}` } });
    const response = await get(own.key);
    expect(response.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(lines.map((line) => line.action)).toEqual(['createModelEndpoint', 'exportAudit']);
    expect(lines[0].details).toMatchObject({ name: 'provider', baseUrl: '127.0.0.1:9' });
    expect(await (await get(own.key, '?since=2100-01-01T00:00:00Z')).text()).toBe('');
    expect((await get(own.key, '?since=yesterday')).status).toBe(400);
    const { secret } = await own.mutate('createApiKey', { name: 'runner', role: 'RUNNER' }, 'secret');
    expect((await get(secret)).status).toBe(403);
    expect((await get(OPERATOR_TOKEN)).status).toBe(403);
    expect((await get('assay_unknown')).status).toBe(401);
  });

  it('cannot be changed by the service, which may add and read and nothing else', async () => {
    const own = await assay.team();
    await own.endpoint('http://127.0.0.1:9/v1');
    const { db } = assay.services;
    const { teamId } = await db.auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const service = assay.services.teams.of(teamId);
    for (const table of ['audit_event', 'erased_team']) {
      for (const statement of [`UPDATE ${table} SET at = now()`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
        await expect(service.$executeRawUnsafe(statement)).rejects.toThrow(/permission denied/);
      }
    }
    const rights = await db.$queryRaw<{ right: string }[]>`
      SELECT DISTINCT privilege_type::text AS right FROM information_schema.table_privileges
      WHERE grantee = 'assay_service' AND table_name IN ('audit_event', 'erased_team') ORDER BY 1`;
    expect(rights.map(({ right }) => right)).toEqual(['INSERT', 'SELECT']);
    expect(await service.auditEvent.count()).toBe(1);
  });
});

/** An input in which every text says `poison`. */
function filled(type: GraphQLInputType): unknown {
  const bare = getNullableType(type);
  if (isListType(bare)) return [filled(bare.ofType)];
  if (isEnumType(bare)) return bare.getValues()[0]?.name;
  if (isInputObjectType(bare)) {
    return Object.fromEntries(
      Object.values(bare.getFields()).map((field) => [
        field.name,
        field.name === 'name' ? 'a name' : filled(field.type),
      ]),
    );
  }
  const scalar = getNamedType(bare).name;
  const plain: Data = { Int: 1, Float: 0.5, Boolean: true, DateTime: '2100-01-01T00:00:00Z', BigInt: 1 };
  return plain[scalar] ?? 'poison';
}
