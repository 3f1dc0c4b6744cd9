import { Arg, Ctx, Field, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import { conversationKey, loadCriteria } from '../datasets/dataset.queries.js';
import { ConversationType, criterionType, RubricCriterionType } from '../datasets/dataset.types.js';
import { hitRate } from '../healthbench/hitRates.js';
import type { RubricCriterion } from '../platform/database.js';
import { requireUuid } from '../platform/relay/globalId.js';
import { HitRate } from '../runs/scoring.types.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { type CriterionHits, criterionHitsKey, loadCriterionHits } from './criterionHitRate.queries.js';

@ObjectType({ simpleResolvers: true })
export class CriterionHitRate {
  @Field(() => RubricCriterionType)
  criterion!: RubricCriterionType;

  @Field(() => HitRate, { description: 'For a negative criterion: how often it was triggered.' })
  hitRate!: HitRate;
}

@Resolver(() => ConversationType)
export class CriterionHitRateResolver {
  @FieldResolver(() => [CriterionHitRate], {
    description: "How often each criterion was met: over the repeats of one run, or over all the team's runs.",
  })
  async criterionHitRates(
    @Root() conversation: ConversationType,
    @Ctx() context: RequestContext,
    @Arg('runId', () => ID, { nullable: true }) runId?: string | null,
  ): Promise<CriterionHitRate[]> {
    const { db, teamId } = context;
    const rubric = conversationKey(conversation.datasetKey, conversation.no);
    const run = runId == null ? null : requireUuid('Run', runId, 'runId');
    const key = criterionHitsKey(conversation.datasetKey, conversation.no, run);
    const [criteria, hits] = await Promise.all([
      context.load<string, RubricCriterion[]>('criteria', rubric, (keys) => loadCriteria(db, teamId, keys)),
      context.load<string, CriterionHits>('criterion hits', key, (keys) => loadCriterionHits(db, teamId, keys)),
    ]);
    return (criteria ?? []).map((criterion) => {
      const { met, graded } = hits?.get(criterion.no) ?? { met: 0, graded: 0 };
      const sign = criterion.points < 0 ? 'negative' : 'positive';
      const rate = hitRate(sign, met, graded, false);
      const reason = graded > 0 ? null : 'This criterion has no verdict.';
      return { criterion: criterionType(criterion), hitRate: { ...rate, rateUnavailableReason: reason } };
    });
  }
}
