import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { DateTime } from '../platform/relay/scalars.js';
import { loadRunPrices, type RunPrices } from '../runs/price.queries.js';
import { RunConversationType } from '../runs/run.types.js';
import { runConversationKey } from '../runs/runConversation.queries.js';
import { CallUsageType, callUsageType } from '../runs/usage.types.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { loadReplies } from './reply.queries.js';

@ObjectType('Reply', { simpleResolvers: true, description: 'What the model under test answered.' })
export class ReplyType {
  runId!: string;
  cachedTokens!: number | null;
  reasoningTokens!: number | null;

  @Field(() => String)
  text!: string;

  @Field(() => String, { nullable: true, description: 'As the provider reports it: stop, length, …' })
  finishReason!: string | null;

  @Field(() => Int, { nullable: true, description: 'Null when the provider did not say.' })
  promptTokens!: number | null;

  @Field(() => Int, { nullable: true, description: 'Null when the provider did not say.' })
  completionTokens!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Of the call that succeeded, waiting not included. Null in an imported run.',
  })
  latencyMs!: number | null;

  @Field(() => Int, { description: 'Calls that it took, failed ones included; 0 in an imported run.' })
  attempts!: number;

  @Field(() => DateTime)
  generatedAt!: Date;
}

@Resolver(() => ReplyType)
export class ReplyUsageResolver {
  @FieldResolver(() => CallUsageType, { description: 'Of the call that succeeded.' })
  async usage(@Root() reply: ReplyType, @Ctx() context: RequestContext): Promise<CallUsageType> {
    const { db, teamId } = context;
    const prices = await context.load<string, RunPrices>('run prices', reply.runId, (ids) =>
      loadRunPrices(db, teamId, ids),
    );
    return callUsageType(prices?.model ?? null, reply);
  }
}

/** `RunConversation.reply`. */
@Resolver(() => RunConversationType)
export class RunConversationReplyResolver {
  @FieldResolver(() => ReplyType, { nullable: true })
  reply(@Root() row: RunConversationType, @Ctx() context: RequestContext): Promise<ReplyType | null> {
    return context.load<string, ReplyType>('reply', runConversationKey(row.runKey, row.ordinal), (keys) =>
      loadReplies(context.db, context.teamId, keys),
    );
  }
}
