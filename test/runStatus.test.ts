import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunStatus } from '../src/platform/database.js';
import { changeRunStatus, isFinal, transitions } from '../src/runs/runStatus.js';
import { RepliedRun, Stage } from './support/repliedRun.js';

const statuses = Object.values(RunStatus);

describe('the states of a run', () => {
  let stage: Stage;
  let run: RepliedRun;

  beforeAll(async () => {
    stage = await Stage.start();
    run = await RepliedRun.start(stage);
  });
  afterAll(() => stage.close());

  it.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))(
    'go from %s to %s only as the table says',
    async (from, to) => {
      const { teamId, runId, db } = run;
      await db.run.update({
        where: { id: runId },
        data: { status: from, finishedAt: isFinal(from) ? new Date() : null },
      });
      const changed = await changeRunStatus(db, stage.assay.services.queue, { teamId, runId, to });
      const { status, finishedAt } = await db.run.findUniqueOrThrow({ where: { id: runId } });
      const allowed = transitions[from].includes(to);
      expect(changed?.status ?? null).toBe(allowed ? to : null);
      expect(status).toBe(allowed ? to : from);
      if (allowed) expect(finishedAt !== null).toBe(isFinal(to));
    },
  );

  it('are documented as they are', () => {
    const page = readFileSync('docs/scheduling.md', 'utf8');
    const table = page.slice(page.indexOf('## States of a run'), page.indexOf('**Pause**'));
    const found = new Set<string>();
    for (const line of table.split('\n')) {
      const [, from = '', to = ''] = line.split('|');
      for (const one of from.matchAll(/`([A-Z]+)`/g)) {
        for (const other of to.matchAll(/`([A-Z]+)`/g)) found.add(`${one[1]} → ${other[1]}`);
      }
    }
    const meant = statuses.flatMap((from) => transitions[from].map((to) => `${from} → ${to}`));
    expect([...found].sort()).toEqual(meant.sort());
  });
});
