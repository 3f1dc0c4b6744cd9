import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root, registerEnumType } from 'type-graphql';
import { RunType } from '../runs/run.types.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { loadMissingReasons } from './missingReason.queries.js';

export enum MissingPart {
  REPLY = 'REPLY',
  VERDICT = 'VERDICT',
}
registerEnumType(MissingPart, {
  name: 'MissingPart',
  description: 'REPLY: the model under test gave none. VERDICT: the grader gave none on a criterion of a reply.',
});

@ObjectType({
  simpleResolvers: true,
  description: 'Why something counts nowhere in the score, and how often. Never the same as not met.',
})
export class MissingReason {
  @Field(() => MissingPart)
  missing!: MissingPart;

  @Field(() => String, {
    description: 'A word: rate_limited, truncated, …; run_cancelled or run_failed: the run ended before.',
  })
  reason!: string;

  @Field(() => Int, { description: 'With a part that is missing so. Several reasons may hold for one.' })
  conversations!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Without a verdict because of it; null when retention has deleted the notes on single criteria.',
  })
  criteria!: number | null;

  @Field(() => String, { nullable: true, description: 'What was said of the newest of them, where anything was.' })
  message!: string | null;
}

@Resolver(() => RunType)
export class MissingReasonResolver {
  @FieldResolver(() => [MissingReason], {
    description: 'Why the coverage is below 1, by reason, the most frequent first. retryRun tries again.',
  })
  async missingReasons(@Root() run: RunType, @Ctx() context: RequestContext): Promise<MissingReason[]> {
    const rows = await context.load<string, MissingReason[]>('missing reasons', run.key, async (runIds) => {
      const found = await loadMissingReasons(context.db, context.teamId, runIds);
      return new Map(
        [...found].map(([id, reasons]) => [id, reasons.map((row) => ({ ...row, missing: MissingPart[row.missing] }))]),
      );
    });
    return rows ?? [];
  }
}
