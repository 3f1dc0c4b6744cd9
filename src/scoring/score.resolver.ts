import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { InvalidInput } from '../errors.js';
import { histogram } from '../healthbench/histogram.js';
import { tagGroup, tagLabel } from '../healthbench/tags.js';
import { RunType } from '../runs/run.types.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import {
  type Aggregates,
  loadFinalAggregates,
  loadPresentAggregates,
  loadScores,
  loadTagScores,
} from './score.queries.js';
import { HistogramBin, RunScoreType, TagGroupEnum, TagScore } from './score.types.js';

const MAX_BINS = 100;

/** What scoring adds to a run. */
@Resolver(() => RunType)
export class RunScoreResolver {
  @FieldResolver(() => RunScoreType, { nullable: true, description: 'Null until a conversation is scored.' })
  async score(@Root() run: RunType, @Ctx() context: RequestContext): Promise<RunScoreType | null> {
    const { db, teamId } = context;
    const found =
      run.status === 'COMPLETED'
        ? await context.load<string, Aggregates>('final score', run.key, (ids) => loadFinalAggregates(db, teamId, ids))
        : await context.load<string, Aggregates>('score', run.key, (ids) => loadPresentAggregates(db, teamId, ids));
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
    const rows = await loadTagScores(context.db, context.teamId, run.key, run.status === 'COMPLETED');
    return rows
      .map((row) => ({ ...row, group: tagGroup(row.tag) as TagGroupEnum, label: tagLabel(row.tag) }))
      .filter((row) => group == null || row.group === group);
  }

  @FieldResolver(() => [HistogramBin], {
    description: 'Of the scores of the conversations: equal bins from 0 to 1, and one below 0 where it is needed.',
  })
  async histogram(
    @Root() run: RunType,
    @Ctx() context: RequestContext,
    @Arg('bins', () => Int, { defaultValue: 10 }) bins: number,
  ): Promise<HistogramBin[]> {
    if (bins < 1 || bins > MAX_BINS) throw new InvalidInput(`bins must be between 1 and ${MAX_BINS}.`, ['bins']);
    const scores = await context.load<string, number[]>('scores', run.key, (ids) =>
      loadScores(context.db, context.teamId, ids),
    );
    return histogram(scores ?? [], bins).map((bin) => ({ ...bin, from: Number.isFinite(bin.from) ? bin.from : null }));
  }
}

function scoreType(run: RunType, aggregates: Aggregates): RunScoreType {
  const { interval, ...rest } = aggregates;
  const { conversationsTotal, criteriaTotal, criteriaGraded } = run.progress;
  return {
    ...rest,
    interval: interval === null ? null : { ...interval, confidence: 0.95 },
    coverage: rest.n / conversationsTotal,
    criteriaCoverage: criteriaGraded / criteriaTotal,
    grader: run.grader.model,
    graderPromptSha256: run.graderPrompt.sha256,
    scoringProfile: run.scoringProfile,
  };
}
