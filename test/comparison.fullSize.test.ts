import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { globalId, uuidOf } from '../src/platform/relay/globalId.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { CONVERSATIONS, completeRun, seedDataset } from './support/fullSize.js';

const NUMBERS = 'n difference standardError pValue interval { low high } wins ties losses';

/** Wide, because machines are: it catches a plan that reads every verdict once for each row. */
const BAR_MS = 10_000;

describe('comparing two runs of 57,000 verdicts', () => {
  let assay: Assay;
  let team: Team;
  const ids: Data = {};

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    const { db } = assay.services;
    await team.endpoint('http://127.0.0.1:9/v1');
    const { id: teamId } = await db.team.findFirstOrThrow();
    const datasetId = globalId('Dataset', await seedDataset(db, teamId));
    for (const [name, percent] of Object.entries({ a: 55, b: 60 })) {
      ids[name] = await team.start({ datasetId, name, modelUnderTest: { model: name } });
      await completeRun(db, uuidOf('Run', ids[name]) as string, percent);
    }
    await db.$executeRawUnsafe('ANALYZE');
  }, 120_000);
  afterAll(() => assay.close());

  const compare = async (selection: string): Promise<{ found: Data; statements: number; ms: number }> => {
    const query = `query ($a: ID!, $b: ID!) { compareRuns(baselineId: $a, candidateId: $b) { ${selection} } }`;
    const before = assay.services.statements();
    const start = performance.now();
    const found = (await team.query(query, ids)).compareRuns;
    return { found, statements: assay.services.statements() - before, ms: performance.now() - start };
  };

  it.each([
    ['comparable', 'comparable differences { part }'],
    ['overall', `overall { ${NUMBERS} }`],
    ['worsened', 'worsened { difference baseline { promptId } }'],
    ['themes and axes', `themes { tag ${NUMBERS} } axes { tag ${NUMBERS} adjustedPValue }`],
    ['verdictChanges', 'verdictChanges { compared gained lost }'],
    [
      '50 flips',
      'flips { totalCount nodes { pointsMoved baseline { explanation runConversation { promptId } } candidate { explanation } } }',
    ],
  ])('answers %s in bounds, with a constant number of statements', async (_what, selection) => {
    const { ms, statements } = await compare(selection);
    expect(ms).toBeLessThan(BAR_MS);
    expect(statements).toBeLessThanOrEqual(14);
  });

  it('finds the difference that was put there, over all conversations', async () => {
    const { found } = await compare(`comparable overall { ${NUMBERS} } verdictChanges { compared }`);
    expect(found).toMatchObject({ comparable: true, overall: { n: CONVERSATIONS } });
    expect(found.overall.interval.low).toBeGreaterThan(0);
    expect(found.verdictChanges.compared).toBe(57_500);
  });

  it('lets other requests have their turn while it computes', async () => {
    const slow = compare(`themes { ${NUMBERS} }`);
    let longest = 0;
    let over = false;
    void slow.finally(() => {
      over = true;
    });
    while (!over) {
      const start = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, performance.now() - start);
    }
    expect((await slow).found.themes).toHaveLength(7);
    expect(longest).toBeLessThan(1_000);
  });
});
