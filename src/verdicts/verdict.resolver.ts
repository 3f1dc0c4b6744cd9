import { Arg, Args, Ctx, FieldResolver, ID, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import { conversationKey, loadCriteria } from '../datasets/dataset.queries.js';
import { criterionType } from '../datasets/dataset.types.js';
import { InvalidInput, NotFound } from '../errors.js';
import type { RubricCriterion } from '../platform/database.js';
import { requireUuid, uuidOf } from '../platform/relay/globalId.js';
import { type Connection, mapConnection, Page } from '../platform/relay/page.js';
import { progressOf } from '../runs/progress.js';
import { findRun, type RunRow } from '../runs/run.queries.js';
import { RunConversationType, RunType, runConversationType, runType } from '../runs/run.types.js';
import { loadRunConversations, type RunConversationRow, runConversationKey } from '../runs/runConversation.queries.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { followRun, followVerdicts, nextBatch } from './feed.js';
import type { Batch, Source } from './runTail.js';
import {
  listVerdicts,
  loadUngraded,
  loadVerdicts,
  MAX_VERDICTS,
  type UngradedRow,
  type VerdictRow,
} from './verdict.queries.js';
import {
  CriterionResult,
  CriterionVerdictConnection,
  CriterionVerdictType,
  VerdictBatch,
  VerdictsArgs,
  verdictType,
} from './verdict.types.js';

interface RunArgs {
  runId: string;
  after?: number | null;
}

/** Refused at once, and not in the middle of the stream, for a run that is missing or another team's. */
async function sourceOf(args: RunArgs, context: RequestContext): Promise<Source> {
  const { db, teamId, services } = context;
  const runId = requireUuid('Run', args.runId, 'runId');
  if ((await findRun(db, teamId, runId)) === null) throw new NotFound('Run', ['runId']);
  return { db, queue: services.queue, wakeUps: services.wakeUps, teamId, runId };
}

/** `runVerdicts` for those who poll. */
@Resolver()
export class VerdictEventsResolver {
  @Access('VIEWER')
  @Query(() => VerdictBatch, {
    nullable: true,
    description:
      'The events of subscription runVerdicts, by polling: ask again with the cursor until runStatus is final.',
  })
  async runEvents(
    @Arg('runId', () => ID) runId: string,
    @Ctx() context: RequestContext,
    @Arg('after', () => Int, { defaultValue: 0 }) after: number,
    @Arg('first', () => Int, { defaultValue: MAX_VERDICTS }) first: number,
  ): Promise<VerdictBatch | null> {
    if (first < 1 || first > MAX_VERDICTS) {
      throw new InvalidInput(`first must be between 1 and ${MAX_VERDICTS}.`, ['first']);
    }
    const uuid = uuidOf('Run', runId);
    if (uuid === null) return null;
    const { db, teamId, services } = context;
    const batch = await nextBatch({ db, queue: services.queue, teamId, runId: uuid }, Math.max(0, after), first);
    return batch === null ? null : batchType(batch);
  }
}

const batchType = ({ verdicts, cursor, run, runStatus }: Batch): VerdictBatch => ({
  verdicts: verdicts.map(verdictType),
  cursor,
  progress: progressOf(run, new Date()),
  runStatus,
});

@Resolver()
export class VerdictSubscriptions {
  @Access('VIEWER')
  @Subscription(() => VerdictBatch, {
    description:
      'Each verdict after `after` once and in order: first those that are there, then live. Completes with the run.',
    subscribe: async ({ args, context }) => {
      const after = (args as RunArgs).after ?? 0;
      if (after < 0) throw new InvalidInput('after must not be negative.', ['after']);
      return followVerdicts(await sourceOf(args as RunArgs, context as RequestContext), after);
    },
  })
  runVerdicts(
    @Root() batch: Batch,
    @Arg('runId', () => ID) _runId: string,
    @Arg('after', () => Int, { nullable: true, description: 'The cursor of the last batch seen.' }) _after?: number,
  ): VerdictBatch {
    return batchType(batch);
  }

  @Access('VIEWER')
  @Subscription(() => RunType, {
    description: 'The run whenever it has changed, at most a few times a second. Completes with the run.',
    subscribe: async ({ args, context }) => followRun(await sourceOf(args as RunArgs, context as RequestContext)),
  })
  runProgress(@Root() run: RunRow, @Arg('runId', () => ID) _runId: string): RunType {
    return runType(run);
  }
}

/** Fields that the log adds to a run. */
@Resolver(() => RunType)
export class RunVerdictsResolver {
  @FieldResolver(() => CriterionVerdictConnection, { description: 'In the order of the log; at most 500 a page.' })
  async verdicts(
    @Root() run: RunType,
    @Args(() => VerdictsArgs) args: VerdictsArgs,
    @Ctx() context: RequestContext,
  ): Promise<Connection<CriterionVerdictType>> {
    const filter = args.filter ?? {};
    const page = new Page(args, ['verdicts', run.key, filter], MAX_VERDICTS);
    return mapConnection(await listVerdicts(context.db, context.teamId, run.key, page, filter), verdictType);
  }
}

@Resolver(() => CriterionVerdictType)
export class CriterionVerdictResolver {
  @FieldResolver(() => RunConversationType)
  async runConversation(
    @Root() verdict: CriterionVerdictType,
    @Ctx() context: RequestContext,
  ): Promise<RunConversationType> {
    const key = runConversationKey(verdict.runKey, verdict.ordinal);
    const found = await context.load<string, RunConversationRow>('run conversation', key, (keys) =>
      loadRunConversations(context.db, context.teamId, keys),
    );
    // Deleted since the verdict was read.
    if (found === null) throw new NotFound('Run');
    return runConversationType(found);
  }
}

/** Fields that the log adds to a conversation of a run. */
@Resolver(() => RunConversationType)
export class RunConversationVerdictsResolver {
  @FieldResolver(() => [CriterionResult], { description: 'What became of each criterion, in the order of the rubric.' })
  async results(@Root() row: RunConversationType, @Ctx() context: RequestContext): Promise<CriterionResult[]> {
    const { db, teamId } = context;
    const key = runConversationKey(row.runKey, row.ordinal);
    const rubric = conversationKey(row.datasetKey, row.conversationNo);
    const [criteria, verdicts, ungraded] = await Promise.all([
      context.load<string, RubricCriterion[]>('criteria', rubric, (keys) => loadCriteria(db, teamId, keys)),
      context.load<string, VerdictRow[]>('verdicts', key, (keys) => loadVerdicts(db, teamId, keys)),
      context.load<string, UngradedRow[]>('ungraded', key, (keys) => loadUngraded(db, teamId, keys)),
    ]);
    const place = { runKey: row.runKey, ordinal: row.ordinal };
    return (criteria ?? []).map((criterion) => {
      const row = verdicts?.find((v) => v.criterionNo === criterion.no);
      const verdict = row === undefined ? null : verdictType(row);
      const left = ungraded?.find((u) => u.criterionNo === criterion.no) ?? null;
      return {
        ...place,
        criterion: criterionType(criterion),
        verdict,
        ungraded: left,
        pointsLost: pointsLost(verdict),
      };
    });
  }
}

function pointsLost(verdict: CriterionVerdictType | null): number {
  if (verdict === null) return 0;
  const lost = verdict.points > 0 ? !verdict.criteriaMet : verdict.criteriaMet;
  return lost ? Math.abs(verdict.points) : 0;
}
