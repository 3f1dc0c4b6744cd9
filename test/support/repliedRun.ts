import { expect } from '@jest/globals';
import { type Database, type OpenDatabase, openDatabase } from '../../src/platform/database.js';
import { uuidOf } from '../../src/platform/relay/globalId.js';
import { changeRunStatus } from '../../src/runs/runStatus.js';
import { markReplied } from '../../src/runs/settleConversation.js';
import { noUsage } from '../../src/runs/usage.js';
import type { NewVerdict } from '../../src/verdicts/recordVerdicts.js';
import { Assay, type Team } from './assay.js';
import { until } from './consistency.js';
import { conversations, jsonl } from './dataset.js';

export const ONE_CALL = { ...noUsage, calls: 1 };

/** A RUNNING run of two conversations with three criteria each, both with a reply, that no worker touches. */
export class RepliedRun {
  private constructor(
    readonly id: string,
    readonly teamId: string,
    readonly runId: string,
    readonly db: Database,
  ) {}

  static async start(stage: Stage): Promise<RepliedRun> {
    const id = await stage.team.start({ datasetId: stage.datasetId });
    const { teamId, id: runId } = await stage.db.run.findUniqueOrThrow({ where: { id: uuidOf('Run', id) as string } });
    await changeRunStatus(stage.db, stage.assay.services.queue, { teamId, runId, to: 'RUNNING' });
    await markReplied(stage.db, runId, [0, 1], ONE_CALL);
    const reply = { teamId, runId, text: 'invented', latencyMs: 1, attempts: 1 };
    await stage.db.reply.createMany({ data: [0, 1].map((ordinal) => ({ ...reply, ordinal })) });
    return new RepliedRun(id, teamId, runId, stage.db);
  }

  verdict(ordinal: number, criterionNo: number): NewVerdict {
    const reported = { promptTokens: null, completionTokens: null, cachedTokens: null, reasoningTokens: null };
    const { teamId } = this;
    const judged = { criteriaMet: true, explanation: 'invented', points: 1, latencyMs: 1 };
    return { teamId, ordinal, criterionNo, ...judged, usage: ONE_CALL, reported, failedAttempts: [] };
  }

  async graderCalls(): Promise<number> {
    return (await this.db.verdictLog.findUniqueOrThrow({ where: { runId: this.runId } })).graderCalls;
  }

  async modelCalls(): Promise<number> {
    return (await this.db.runProgress.findUniqueOrThrow({ where: { runId: this.runId } })).modelCalls;
  }

  async statuses(): Promise<string[]> {
    const { runId } = this;
    const rows = await this.db.runConversation.findMany({ where: { runId }, orderBy: { ordinal: 'asc' } });
    return rows.map(({ status }) => status);
  }

  /** How many criteria have ended in each way; asserts that none has in both. */
  async ends(): Promise<{ verdicts: number; notes: number }> {
    const { runId } = this;
    const verdicts = await this.db.criterionVerdict.findMany({ where: { runId } });
    const notes = await this.db.ungradedCriterion.findMany({ where: { runId } });
    const name = (row: { ordinal: number; criterionNo: number }) => `${row.ordinal}:${row.criterionNo}`;
    expect(verdicts.map(name).filter((one) => notes.map(name).includes(one))).toEqual([]);
    return { verdicts: verdicts.length, notes: notes.length };
  }
}

/** An Assay without workers, one team with the dataset, and the database as its owner sees it. */
export class Stage {
  private constructor(
    readonly assay: Assay,
    readonly team: Team,
    readonly datasetId: string,
    private readonly open: OpenDatabase,
    readonly db: Database,
  ) {}

  static async start(baseUrl = 'http://127.0.0.1:9/v1'): Promise<Stage> {
    const assay = await Assay.start({ workers: false });
    const team = await assay.team();
    await team.endpoint(baseUrl);
    const list = ['first', 'second'].flatMap((promptId) => conversations(1).map((one) => ({ ...one, promptId })));
    const dataset = await team.dataset(jsonl(list));
    // Connections for all that wait for each other in a test.
    const open = openDatabase(assay.databaseUrl, 6, () => {});
    return new Stage(assay, team, dataset.id, open, open.client({ name: 'app.nothing', value: '' }));
  }

  /** Resolves when so many statements wait for a lock. */
  async lockWaits(statements = 1): Promise<void> {
    await until(async () => {
      const rows = await this.db.$queryRaw<unknown[]>`
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return rows.length >= statements;
    }, 10);
  }

  async close(): Promise<void> {
    await this.open.close();
    await this.assay.close();
  }
}
