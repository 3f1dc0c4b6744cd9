import { Arg, Args, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { criterionType } from '../datasets/dataset.types.js';
import { InvalidInput } from '../errors.js';
import type { PairedComparison } from '../healthbench/pairedComparison.js';
import { clip } from '../healthbench/score.js';
import { tagGroup, tagLabel } from '../healthbench/tags.js';
import type { RubricCriterion } from '../platform/database.js';
import { uuidOf } from '../platform/relay/globalId.js';
import { type Connection, mapConnection, Page } from '../platform/relay/page.js';
import { findRun } from '../runs/run.queries.js';
import { runType } from '../runs/run.types.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { Comparison, type TagComparison } from './comparison.js';
import {
  ChangeDirection,
  ChangedConversationType,
  type DifferenceSeverity,
  FlippedCriterion,
  FlippedCriterionConnection,
  FlipsArgs,
  PairedDifference,
  TagDifference,
  VerdictChanges,
} from './comparison.types.js';
import { comparisonWarnings } from './comparisonWarnings.js';
import { RunComparisonType } from './runComparison.type.js';
import type { TagGroupEnum } from './score.types.js';
import { type FlipRow, listFlips } from './verdictPair.queries.js';

const MAX_CHANGED = 200;

@Resolver(() => RunComparisonType)
export class RunComparisonResolver {
  @Access('VIEWER')
  @Query(() => RunComparisonType, {
    nullable: true,
    description: 'Null when there is no such run; an error when the two have no conversation in common.',
  })
  async compareRuns(
    @Arg('baselineId', () => ID) baselineId: string,
    @Arg('candidateId', () => ID) candidateId: string,
    @Ctx() { db, teamId }: RequestContext,
  ): Promise<RunComparisonType | null> {
    const [baseline, candidate] = await Promise.all(
      [baselineId, candidateId].map((id) => findRun(db, teamId, uuidOf('Run', id))),
    );
    if (!baseline || !candidate) return null;
    const comparison = await Comparison.of(db, teamId, baseline, candidate);
    return Object.assign(new RunComparisonType(), {
      comparison,
      comparable: comparison.differences.comparable,
      differences: comparison.differences.list.map((part) => ({
        ...part,
        severity: part.severity as DifferenceSeverity,
      })),
      warnings: comparisonWarnings(comparison),
      sameReplies: comparison.differences.sameReplies,
      baseline: runType(baseline),
      candidate: runType(candidate),
      sharedConversations: comparison.shared.conversations,
      scoredConversations: comparison.shared.scored,
    });
  }

  @FieldResolver(() => PairedDifference, {
    nullable: true,
    description: 'Null when no conversation has a score in both runs.',
  })
  async overall(@Root() { comparison }: RunComparisonType): Promise<PairedDifference | null> {
    const found = await comparison.overall();
    return found === null ? null : Object.assign(new PairedDifference(), shown(found));
  }

  @FieldResolver(() => String, { nullable: true, description: 'Why `overall` is null.' })
  unavailableReason(@Root() { comparison }: RunComparisonType): string | null {
    return comparison.shared.scored > 0 ? null : 'No shared conversation has a score in both runs.';
  }

  @FieldResolver(() => [TagDifference])
  themes(@Root() { comparison }: RunComparisonType): Promise<TagDifference[]> {
    return tagsOf(comparison, 'THEME');
  }

  @FieldResolver(() => [TagDifference])
  axes(@Root() { comparison }: RunComparisonType): Promise<TagDifference[]> {
    return tagsOf(comparison, 'AXIS');
  }

  @FieldResolver(() => VerdictChanges, { description: 'Of all criteria with a verdict in both runs.' })
  async verdictChanges(@Root() { comparison }: RunComparisonType): Promise<VerdictChanges> {
    const sums = { compared: 0, unchanged: 0, gained: 0, lost: 0, pointsGained: 0, pointsLost: 0 };
    for (const { positive, counts, onlyFirstPoints, onlySecondPoints } of await comparison.verdictGroups()) {
      const { onlyFirstMet, onlySecondMet } = counts;
      sums.unchanged += counts.bothMet + counts.neitherMet;
      sums.gained += positive ? onlySecondMet : onlyFirstMet;
      sums.lost += positive ? onlyFirstMet : onlySecondMet;
      sums.pointsGained += positive ? onlySecondPoints : onlyFirstPoints;
      sums.pointsLost += positive ? onlyFirstPoints : onlySecondPoints;
    }
    return { ...sums, compared: sums.unchanged + sums.gained + sums.lost };
  }

  @FieldResolver(() => FlippedCriterionConnection, {
    description: 'The criteria whose verdict differs, those that move the most points first.',
  })
  async flips(
    @Root() { comparison }: RunComparisonType,
    @Args(() => FlipsArgs) args: FlipsArgs,
    @Ctx() { db }: RequestContext,
  ): Promise<Connection<FlippedCriterion>> {
    const { pair } = comparison;
    const direction = args.direction ?? null;
    const page = new Page(args, ['flips', pair.baseline.id, pair.candidate.id, direction]);
    return mapConnection(await listFlips(db, pair, page, direction), (row) => flippedCriterion(comparison, row));
  }

  @FieldResolver(() => [ChangedConversationType], { description: 'The conversations that got worse most.' })
  worsened(
    @Root() { comparison }: RunComparisonType,
    @Arg('first', () => Int, { defaultValue: 10 }) first: number,
  ): Promise<ChangedConversationType[]> {
    return changedConversations(comparison, ChangeDirection.LOST, first);
  }

  @FieldResolver(() => [ChangedConversationType], { description: 'The conversations that got better most.' })
  improved(
    @Root() { comparison }: RunComparisonType,
    @Arg('first', () => Int, { defaultValue: 10 }) first: number,
  ): Promise<ChangedConversationType[]> {
    return changedConversations(comparison, ChangeDirection.GAINED, first);
  }
}

function shown({ baselineMean, candidateMean, interval, ...rest }: PairedComparison) {
  return {
    ...rest,
    baselineScore: clip(baselineMean),
    candidateScore: clip(candidateMean),
    interval: interval === null ? null : { ...interval, confidence: 0.95, method: 'CLUSTERED_BOOTSTRAP' },
  };
}

async function tagsOf(comparison: Comparison, group: string): Promise<TagDifference[]> {
  const found = (await comparison.tags()).filter(({ tag }) => tagGroup(tag) === group);
  return found.map((row: TagComparison) => {
    const named = { tag: row.tag, group: group as TagGroupEnum, label: tagLabel(row.tag) };
    return Object.assign(new TagDifference(), shown(row), named);
  });
}

function flippedCriterion({ pair }: Comparison, row: FlipRow): FlippedCriterion {
  const pointsMoved = row.candidateMet ? row.points : -row.points;
  return Object.assign(new FlippedCriterion(), {
    criterion: criterionType({ ...row, no: row.criterionNo } as unknown as RubricCriterion),
    repeat: row.repeat,
    pointsMoved,
    direction: pointsMoved > 0 ? ChangeDirection.GAINED : ChangeDirection.LOST,
    baselineRow: { runKey: pair.baseline.id, ordinal: row.baselineOrdinal },
    candidateRow: { runKey: pair.candidate.id, ordinal: row.candidateOrdinal },
  });
}

async function changedConversations(
  comparison: Comparison,
  direction: ChangeDirection,
  first: number,
): Promise<ChangedConversationType[]> {
  if (first < 1 || first > MAX_CHANGED)
    throw new InvalidInput(`first must be between 1 and ${MAX_CHANGED}.`, ['first']);
  const { pair } = comparison;
  return (await comparison.changed(direction, first)).map((row) =>
    Object.assign(new ChangedConversationType(), {
      baselineScore: row.baseline,
      candidateScore: row.candidate,
      difference: row.candidate - row.baseline,
      repeats: row.repeats,
      baselineRow: { runKey: pair.baseline.id, ordinal: row.baselineOrdinal },
      candidateRow: { runKey: pair.candidate.id, ordinal: row.candidateOrdinal },
    }),
  );
}
