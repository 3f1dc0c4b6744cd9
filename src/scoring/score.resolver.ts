import { Arg, Ctx, FieldResolver, Float, Int, Resolver, Root } from 'type-graphql';
import { InvalidInput } from '../errors.js';
import { histogram } from '../healthbench/histogram.js';
import { hitRate } from '../healthbench/hitRates.js';
import { conversationsNeeded } from '../healthbench/power.js';
import { deviationOf } from '../healthbench/standardError.js';
import { tagGroup, tagLabel } from '../healthbench/tags.js';
import { RunType } from '../runs/run.types.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { loadPresentAggregates } from './presentAggregates.queries.js';
import type { TagAggregate } from './runAggregates.js';
import { type Aggregates, loadFinalAggregates, loadScores, loadTagScores } from './score.queries.js';
import { HistogramBin, RunScoreType, TagGroupEnum, TagScore } from './score.types.js';
import { scoreType, shownInterval } from './shownScore.js';

const MAX_BINS = 100;

/** What scoring adds to a run. */
@Resolver(() => RunType)
export class RunScoreResolver {
  @FieldResolver(() => RunScoreType, { nullable: true, description: 'Null until a conversation is scored.' })
  async score(@Root() run: RunType, @Ctx() context: RequestContext): Promise<RunScoreType | null> {
    const found = await loadAggregates(run, context);
    return found === null ? null : scoreType(run, found);
  }

  @FieldResolver(() => String, { nullable: true, description: 'Why `score` is null.' })
  scoreUnavailableReason(@Root() run: RunType): string | null {
    if (run.progress.conversationsScored > 0) return null;
    return run.status === 'QUEUED' || run.status === 'RUNNING' || run.status === 'PAUSED'
      ? 'No conversation is scored yet.'
      : 'No conversation could be scored.';
  }

  @FieldResolver(() => [TagScore], { description: 'By tag, in the order of the tags; without a group, all of them.' })
  async tagScores(
    @Root() run: RunType,
    @Ctx() context: RequestContext,
    @Arg('group', () => TagGroupEnum, { nullable: true }) group?: TagGroupEnum | null,
  ): Promise<TagScore[]> {
    // Groups asked for side by side are answered from one reading.
    const completed = run.status === 'COMPLETED';
    const rows = await context.load<string, TagAggregate[]>(`tag scores ${completed}`, run.key, async (ids) => {
      const loaded = await Promise.all(
        [...new Set(ids)].map(
          async (id) => [id, await loadTagScores(context.db, context.teamId, id, completed)] as const,
        ),
      );
      return new Map(loaded);
    });
    const complete = run.progress.criteriaGraded === run.progress.criteriaTotal;
    return (rows ?? []).map((row) => tagScore(row, complete)).filter((row) => group == null || row.group === group);
  }

  @FieldResolver(() => [HistogramBin], {
    description: 'Of the scores of the conversations: equal bins from 0 to 1, and one below 0 where it is needed.',
  })
  async histogram(
    @Root() run: RunType,
    @Ctx() context: RequestContext,
    @Arg('bins', () => Int, { nullable: true, description: `10 by default, at most ${MAX_BINS}.` })
    asked: number | null | undefined,
  ): Promise<HistogramBin[]> {
    const bins = asked ?? 10;
    if (bins < 1 || bins > MAX_BINS) throw new InvalidInput(`bins must be between 1 and ${MAX_BINS}.`, ['bins']);
    const completed = run.status === 'COMPLETED';
    const scores = await context.load<string, number[]>(`scores ${completed}`, run.key, (ids) =>
      loadScores(
        context.db,
        context.teamId,
        [...new Set(ids)].map((id) => ({ id, completed })),
      ),
    );
    return histogram(scores ?? [], bins).map((bin) => ({ ...bin, from: Number.isFinite(bin.from) ? bin.from : null }));
  }
}

function loadAggregates(run: RunType, context: RequestContext): Promise<Aggregates | null> {
  const { db, teamId } = context;
  return run.status === 'COMPLETED'
    ? context.load<string, Aggregates>('final score', run.key, (ids) =>
        loadFinalAggregates(db, teamId, [...new Set(ids)]),
      )
    : context.load<string, Aggregates>('score', run.key, (ids) => loadPresentAggregates(db, teamId, ids));
}

function tagScore(row: TagAggregate, complete: boolean): TagScore {
  const { tag, n, value, unclippedMean, standardError, interval } = row;
  return {
    ...{ tag, n, value, unclippedMean, standardError },
    group: tagGroup(tag) as TagGroupEnum,
    label: tagLabel(tag),
    interval: shownInterval(interval),
    unavailableReason: value === null ? 'No scored conversation has positive points for this tag.' : null,
    positiveCriteria: hitRate('positive', row.positiveMet, row.positiveGraded, complete),
    negativeCriteria: hitRate('negative', row.negativeMet, row.negativeGraded, complete),
  };
}

@Resolver(() => RunScoreType)
export class RunScorePowerResolver {
  @FieldResolver(() => Int, {
    nullable: true,
    description:
      'How many conversations each of two runs over different conversations would need to show a true difference of ' +
      'this size (95 % confidence, 80 % power), at the spread and with the repeats of this run.',
  })
  conversationsNeeded(@Root() score: RunScoreType, @Arg('difference', () => Float) difference: number): number | null {
    if (!(difference > 0 && difference <= 1)) throw new InvalidInput('must be above 0 and at most 1.', ['difference']);
    if (score.smallestDifference === null || score.standardError === null) return null;
    const deviation = deviationOf(score.standardError, score.conversations);
    return conversationsNeeded(deviation * Math.SQRT2, difference);
  }
}
