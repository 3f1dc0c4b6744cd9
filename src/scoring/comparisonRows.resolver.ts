import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { RunConversationType, runConversationType } from '../runs/run.types.js';
import { loadRunConversations, type RunConversationRow, runConversationKey } from '../runs/runConversation.queries.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { loadVerdicts, type VerdictRow } from '../verdicts/verdict.queries.js';
import { CriterionVerdictType, verdictType } from '../verdicts/verdict.types.js';
import { ChangedConversationType, FlippedCriterion } from './comparison.types.js';

interface RowKey {
  runKey: string;
  ordinal: number;
}

async function conversationOf({ runKey, ordinal }: RowKey, context: RequestContext): Promise<RunConversationType> {
  const key = runConversationKey(runKey, ordinal);
  const found = await context.load<string, RunConversationRow>('run conversation', key, (keys) =>
    loadRunConversations(context.db, context.teamId, keys),
  );
  if (found === null) throw new Error(`run conversation ${key} is gone`);
  return runConversationType(found);
}

async function verdictOf(row: RowKey, criterionNo: number, context: RequestContext): Promise<CriterionVerdictType> {
  const key = runConversationKey(row.runKey, row.ordinal);
  const verdicts = await context.load<string, VerdictRow[]>('verdicts', key, (keys) =>
    loadVerdicts(context.db, context.teamId, keys),
  );
  const found = verdicts?.find((verdict) => verdict.criterionNo === criterionNo);
  if (found === undefined) throw new Error(`criterion ${criterionNo} of ${key} has lost its verdict`);
  return verdictType(found);
}

/** What stands behind a flipped criterion. */
@Resolver(() => FlippedCriterion)
export class FlippedCriterionResolver {
  @FieldResolver(() => CriterionVerdictType)
  baseline(@Root() flip: FlippedCriterion, @Ctx() context: RequestContext): Promise<CriterionVerdictType> {
    return verdictOf(flip.baselineRow, flip.criterion.no, context);
  }

  @FieldResolver(() => CriterionVerdictType)
  candidate(@Root() flip: FlippedCriterion, @Ctx() context: RequestContext): Promise<CriterionVerdictType> {
    return verdictOf(flip.candidateRow, flip.criterion.no, context);
  }
}

/** What stands behind a changed conversation. */
@Resolver(() => ChangedConversationType)
export class ChangedConversationResolver {
  @FieldResolver(() => RunConversationType, { description: 'Of several repeats, the one that changed most.' })
  baseline(@Root() row: ChangedConversationType, @Ctx() context: RequestContext): Promise<RunConversationType> {
    return conversationOf(row.baselineRow, context);
  }

  @FieldResolver(() => RunConversationType, { description: 'Of several repeats, the one that changed most.' })
  candidate(@Root() row: ChangedConversationType, @Ctx() context: RequestContext): Promise<RunConversationType> {
    return conversationOf(row.candidateRow, context);
  }
}
