import { Arg, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { publishedDifferences, type RunConditions } from '../healthbench/publishedConditions.js';
import { PUBLISHED_RESULTS } from '../healthbench/publishedResults.js';
import type { Scoring } from '../healthbench/scoringProfile.js';
import type { Dataset } from '../platform/database.js';
import { datasetVariant } from '../runs/chooseScoring.js';
import { RunType } from '../runs/run.types.js';
import { LengthVariantEnum } from '../runs/scoring.types.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { PublishedComparison, PublishedResultType } from './publishedResult.types.js';

const shown = PUBLISHED_RESULTS as unknown as readonly PublishedResultType[];

@Resolver()
export class PublishedResultResolver {
  @Access('VIEWER')
  @Query(() => [PublishedResultType], {
    description: 'Published HealthBench numbers. Those of different conditions make no ranking.',
  })
  publishedResults(
    @Arg('variant', () => LengthVariantEnum, { nullable: true }) variant?: LengthVariantEnum | null,
  ): PublishedResultType[] {
    return shown.filter((result) => variant == null || result.variant === variant);
  }
}

@Resolver(() => RunType)
export class RunPublishedResultResolver {
  @FieldResolver(() => [PublishedComparison], {
    description:
      "Published numbers that may stand beside this run's, because every condition is the same; with false also the " +
      'others, each with what differs.',
  })
  async publishedResults(
    @Root() run: RunType,
    @Ctx() context: RequestContext,
    @Arg('comparableOnly', () => Boolean, { defaultValue: true }) comparableOnly: boolean,
  ): Promise<PublishedComparison[]> {
    const dataset = await context.load<string, Dataset>('dataset row', run.datasetKey, async (ids) => {
      const rows = await context.db.dataset.findMany({ where: { id: { in: [...ids] }, teamId: context.teamId } });
      return new Map(rows.map((row) => [row.id, row]));
    });
    if (dataset === null) throw new Error(`run ${run.key} has lost its dataset`);
    const conditions = conditionsOf(run, dataset);
    const all = PUBLISHED_RESULTS.map((result) => {
      const differences = publishedDifferences(result, conditions);
      return { result: result as unknown as PublishedResultType, comparable: differences.length === 0, differences };
    });
    return all
      .filter((one) => one.comparable || !comparableOnly)
      .sort((a, b) => a.differences.length - b.differences.length);
  }
}

function conditionsOf(run: RunType, dataset: Dataset): RunConditions {
  const { progress, scoring } = run;
  return {
    variant: datasetVariant(dataset),
    selected: run.sample.size,
    total: dataset.conversationCount,
    coverage: progress.conversationsScored / progress.conversationsTotal,
    completed: run.status === 'COMPLETED',
    simulated: run.modelUnderTest.simulated || run.grader.simulated,
    grader: run.grader,
    graderPromptSha256: run.graderPrompt?.sha256 ?? null,
    scoring: scoring as unknown as Scoring,
  };
}
