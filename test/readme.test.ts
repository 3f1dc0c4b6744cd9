import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Team } from './support/assay.js';

const readme = readFileSync('README.md', 'utf8');
const examples = [...readme.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, query]) => query as string);

describe('the README', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;

  beforeAll(async () => {
    provider = await startSimulatedProvider();
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url);
    const dataset = await team.dataset(readFileSync('examples/sample.jsonl', 'utf8'), 'sample');
    expect(dataset.conversationCount).toBeGreaterThanOrEqual(20);
    await team.watch(await team.start({ datasetId: dataset.id }));
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  it('has at least three GraphQL examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(3);
  });

  it.each(examples)('has an example that works as pasted: %s', async (query) => {
    const { runs } = await team.query(query);
    expect(runs.nodes).toHaveLength(1);
    expect(JSON.stringify(runs)).not.toContain('"nodes":[]');
  });

  it('names only npm scripts, settings and files that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const [, script] of readme.matchAll(/npm run ([a-z:]+)/g)) expect(Object.keys(scripts)).toContain(script);
    for (const [, file] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(() => readFileSync(file as string)).not.toThrow();
    }
    const settings = readFileSync('.env.example', 'utf8');
    for (const name of ['BASE_URL', 'API_KEY', 'MODEL_TEST', 'MODEL_GRADER']) expect(settings).toContain(name);
  });
});
