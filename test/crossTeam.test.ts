import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getNamedType } from 'graphql';
import { assaySchema } from '../src/graphql/schema.js';
import { globalId, parseGlobalId } from '../src/platform/relay/globalId.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, OPERATOR_TOKEN, Team } from './support/assay.js';
import {
  type AnyField,
  entityTypes,
  fieldsIn,
  type Operation,
  objectTypes,
  operation,
  type Root,
  rootsOf,
  type Step,
  textsIn,
} from './support/crossTeam/routes.js';
import { entityOf, type Slot, slotsOf } from './support/crossTeam/slots.js';
import { type Answer, World } from './support/crossTeam/world.js';

const schema = assaySchema();
const entities = entityTypes(schema);

/** A field with a slot, and the way to it. */
interface Place {
  root: Root;
  before: Step[];
  field: AnyField;
  slot: Slot;
}

const roots = rootsOf(schema);
const rootFields = roots.flatMap(([root, type]) =>
  Object.values(type?.getFields() ?? {}).map((field) => ({ root, field })),
);

/** These come last: what they were given is gone afterwards. */
const usesUp = (field: AnyField): boolean => /^(archive|cancel|delete|erase|revoke)/.test(field.name);
/** And of these, what leaves nothing at all. */
const deletes = (field: AnyField): boolean => /^delete/.test(field.name);
/** These also want the name of the team: test/teamData.test.ts tries them. */
const wantsName = (field: AnyField): boolean => /^erase/.test(field.name);

/**
 * Walks the schema as it is and tries every place where somebody can write an id, a cursor, a key or a text, and every
 * field that can be read, with what belongs to another team. A field that it cannot try fails it.
 */
describe('two teams', () => {
  let assay: Assay;
  let provider: SimulatedProvider;
  let mine: World;
  let theirs: World;
  /** Texts that only the other team has. */
  let secrets: Set<string>;
  let before: string;
  const tried = new Set<string>();

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: 1, failMalformed: 0.6 });
    assay = await Assay.start();
    const { team } = (await (await assay.team('erased')).query('{ viewer { team { id } } }')).viewer;
    const input = { teamId: team.id, confirm: 'erased' };
    await new Team(assay, OPERATOR_TOKEN).mutate('eraseTeamById', input, 'deleted { kind }');
    mine = await World.make(schema, assay, 'heron', provider.url);
    theirs = await World.make(schema, assay, 'zebra', provider.url);
    // Runs that the trials start need not get anywhere.
    await assay.stopWorkers();
    secrets = theirs.secretsFrom(mine);
    before = await theirs.stateOfRows();
  }, 300_000);
  afterAll(async () => {
    await mine.close();
    await theirs.close();
    await assay.close();
    await provider.close();
  });

  /** The answers of both transports; a subscription has one. */
  async function ask(asked: Operation): Promise<Answer[]> {
    const socket = mine.overSocket(asked);
    // What changes something is done once after the other.
    if (asked.root !== 'query') await socket;
    const answers = await Promise.all(asked.root === 'subscription' ? [socket] : [mine.overHttp(asked), socket]);
    for (const answer of answers) {
      for (const field of fieldsIn(answer.data)) tried.add(field);
      expect({ ...asked, leaked: leaked(asked, answer), broken: broken(answer) }).toEqual({
        ...asked,
        leaked: [],
        broken: [],
      });
    }
    return answers;
  }

  /** A team's audit log holds what the team has asked for, so also the ids that it has tried. */
  const echoes = (name: string): boolean => /auditEvents|\/audit\/|\/team\/export/.test(name);
  const everSaid = new Set<string>();

  const leaked = (asked: Operation, answer: Answer) => {
    const own = textsIn(asked.variables);
    for (const text of own) everSaid.add(text);
    const said = echoes(asked.query) ? everSaid : own;
    return [...textsIn(answer)].filter((text) => secrets.has(text) && !said.has(text));
  };
  const broken = (answer: Answer) =>
    (answer.errors ?? []).filter(({ extensions }) =>
      ['INTERNAL_SERVER_ERROR', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT'].includes(extensions.code),
    );

  /** Without what differs from request to request. */
  const shape = (answers: Answer[], id: string) =>
    JSON.stringify(answers, (key, value) => (key === 'requestId' ? undefined : value === id ? 'the id' : value));

  const places = (kinds: Slot['kind'][]): Place[] => {
    const found: Place[] = rootFields.flatMap(({ root, field }) =>
      slotsOf(field).map((slot) => ({ root, before: [], field, slot })),
    );
    for (const type of objectTypes(schema)) {
      if (roots.some(([, root]) => root === type)) continue;
      for (const field of Object.values(type.getFields())) {
        for (const slot of slotsOf(field)) {
          const steps = mine.stepsTo(type.name);
          if (steps === null) throw new Error(`The test finds no way to ${type.name}.${field.name}: teach it one.`);
          found.push({ root: 'query', before: steps, field, slot });
        }
      }
    }
    return found.filter(({ slot }) => kinds.includes(slot.kind));
  };
  const at = ({ root, before: steps, field, slot }: Place, value: string) =>
    operation(root, [...steps, mine.step(field, slot, value)]);

  it('have enough to try everything with', () => {
    for (const type of entities) expect([type, theirs.ids.get(type)?.length ?? 0]).not.toEqual([type, 0]);
    expect(theirs.cursors.size).toBeGreaterThan(10);
    expect(secrets.size).toBeGreaterThan(200);
    expect([...secrets].filter((text) => text.includes('zebra')).length).toBeGreaterThan(40);
  });

  it("get the same answer for the other's id as for one that does not exist", async () => {
    const all = places(['id']);
    expect(all.length).toBeGreaterThan(10);
    for (const place of all) {
      const wanted = entityOf(place.field, place.slot, entities);
      const sameType =
        wanted === null ? [...theirs.ids.values()].map((ids) => ids[0] as string) : (theirs.ids.get(wanted) ?? []);
      const uuid = parseGlobalId(sameType[0] as string)?.parts[0] as string;
      for (const id of [...sameType.slice(0, 3), uuid]) {
        const parsed = parseGlobalId(id);
        const missing =
          parsed === null ? crypto.randomUUID() : globalId(parsed.type, crypto.randomUUID(), ...parsed.parts.slice(1));
        const foreign = shape(await ask(at(place, id)), id);
        expect([place.field.name, place.slot.path, foreign]).toEqual([
          place.field.name,
          place.slot.path,
          shape(await ask(at(place, missing)), missing),
        ]);
      }
    }
  }, 300_000);

  it("learn nothing by the other's cursors and texts", async () => {
    for (const place of places(['cursor'])) {
      for (const cursor of [...theirs.cursors].slice(0, 20)) await ask(at(place, cursor));
    }
    for (const place of places(['text']).filter(({ root }) => root !== 'mutation')) {
      for (const text of ['zebra', 'zebra run', 'zebra dataset', 'zebra endpoint']) await ask(at(place, text));
    }
  }, 300_000);

  it("do not get the other's result by its idempotency key", async () => {
    for (const place of places(['idempotencyKey'])) await ask(at(place, theirs.idempotencyKey));
  }, 60_000);

  it('do find their own by every place that takes an id', async () => {
    for (const place of places(['id']).filter(({ field }) => !usesUp(field))) {
      const id = mine.ids.get(entityOf(place.field, place.slot, entities) ?? 'Run')?.[0] as string;
      const missing = globalId(parseGlobalId(id)?.type as string, crypto.randomUUID());
      const found = shape(await ask(at(place, id)), id);
      expect([place.field.name, found]).not.toEqual([place.field.name, shape(await ask(at(place, missing)), missing)]);
    }
  }, 120_000);

  it('read of each other nothing, field by field', async () => {
    for (const type of objectTypes(schema)) {
      const steps = mine.stepsTo(type.name);
      if (steps === null) continue;
      for (const field of Object.values(type.getFields())) {
        await ask(operation('query', [...steps, mine.step(field)]));
      }
    }
    const changing = rootFields.filter(({ root, field }) => root !== 'query' && !wantsName(field));
    const inOrder = [
      ...changing.filter(({ field }) => !usesUp(field)),
      ...changing.filter(({ field }) => usesUp(field) && !deletes(field)),
      ...changing.filter(({ field }) => deletes(field)),
    ];
    for (const { root, field } of inOrder) {
      // Asked twice, once a transport: what the first has used up the second does not find.
      const answers = await ask(operation(root, [mine.step(field)]));
      const found = answers.some(({ data }) => !textsIn(data).has('NOT_FOUND'));
      expect([field.name, found]).toEqual([field.name, true]);
    }
  }, 300_000);

  it('have tried every field of the schema', () => {
    const all = objectTypes(schema)
      .filter((type) => !roots.some(([, root]) => root === type))
      .flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`));
    const reachable = new Set([...tried, ...mine.fields]);
    expect(all.filter((field) => !reachable.has(field))).toEqual([]);
    const leafRoots = rootFields.filter(({ field }) => getNamedType(field.type).name === 'String');
    expect(leafRoots).toEqual([]);
  });

  it('leave every row of the other as it was', async () => {
    expect(await theirs.stateOfRows()).toBe(before);
  });

  describe('on plain routes', () => {
    const send = (route: string, key: string | null, parameter = 'x') => {
      const [method, url] = route.split(' ') as [string, string];
      const target = url.replace(/:\w+|\*/g, encodeURIComponent(parameter));
      const query = method === 'POST' ? '?name=copy&idempotencyKey=key%20of%20zebra' : '';
      return fetch(`${assay.server.url}${target}${query}`, {
        method,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
        },
        ...(method === 'POST' ? { body: '{"query": "{ __typename }"}' } : {}),
      });
    };
    /** Routes that show nothing of a team, so that anybody may call them; GraphQL refuses by itself. */
    const open = ['/graphql', '/health'];

    it('are all behind a key, but for those that show nothing', async () => {
      for (const route of assay.server.routes) {
        if (open.includes(route.split(' ')[1] as string)) continue;
        expect([route, (await send(route, null)).status]).toEqual([route, 401]);
        expect([route, (await send(route, 'assay_unknown')).status]).toEqual([route, 401]);
      }
      expect(assay.server.routes.length).toBeGreaterThan(3);
    });

    it("answer to the other's ids as to ids that do not exist", async () => {
      for (const route of assay.server.routes.filter((name) => /[:*]/.test(name))) {
        for (const ids of theirs.ids.values()) {
          for (const id of [ids[0] as string, parseGlobalId(ids[0] as string)?.parts[0] as string]) {
            const foreign = await send(route, mine.team.key, id);
            const missing = await send(route, mine.team.key, globalId('Run', crypto.randomUUID()));
            expect([route, foreign.status]).toEqual([route, missing.status]);
            expect(foreign.status).toBeGreaterThanOrEqual(400);
          }
        }
      }
    });

    it("show nothing of the other's", async () => {
      for (const route of assay.server.routes) {
        const text = await (await send(route, mine.team.key)).text();
        const unsaid = [...secrets].filter((secret) => !echoes(route) || !everSaid.has(secret));
        expect([route, unsaid.filter((secret) => text.includes(secret))]).toEqual([route, []]);
      }
    });

    it("take the other's content as new", async () => {
      const response = await fetch(`${assay.server.url}/datasets?name=another%20copy`, {
        method: 'POST',
        headers: { authorization: `Bearer ${mine.team.key}`, 'content-type': 'application/jsonl' },
        body: `${theirs.dataset}\n`,
      });
      expect(response.status).toBe(201);
    });
  });

  it('get no hint that the other has the same content', async () => {
    const input = { name: 'copy', jsonl: theirs.dataset };
    const own = await mine.team.mutate('importDataset', input, 'created dataset { id }');
    expect(own.created).toBe(true);
    expect(theirs.ids.get('Dataset')).not.toContain(own.dataset.id);
  });

  it('asked for one id a thousand times, a hundred at once, get only what is theirs', async () => {
    const id = theirs.ids.get('Run')?.[0] as string;
    const query = 'query ($id: ID!) { run(id: $id) { id name } node(id: $id) { id } }';
    const answers: string[] = [];
    const send = async (i: number) => {
      const world = i % 2 === 0 ? mine : theirs;
      const { data } = await assay.graphql(query, { id }, world.team.key);
      answers.push(`${world.name}: ${data?.run?.name ?? 'nothing'}, ${data?.node?.id === id ? 'found' : 'nothing'}`);
    };
    for (let sent = 0; sent < 1_000; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, i) => send(sent + i)));
    }
    expect([...new Set(answers)].sort()).toEqual(['heron: nothing, nothing', 'zebra: zebra run, found']);
  }, 60_000);
});
