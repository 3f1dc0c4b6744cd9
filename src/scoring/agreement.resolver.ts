import { Arg, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { addCounts, agreement, agreementByTag, NO_VERDICTS } from '../healthbench/agreement.js';
import { tagGroup, tagLabel } from '../healthbench/tags.js';
import { findRun } from '../runs/run.queries.js';
import { RunType } from '../runs/run.types.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { GraderAgreement, shownAgreement, TagAgreement } from './agreement.types.js';
import { Comparison } from './comparison.js';
import { RunComparisonType } from './runComparison.type.js';
import { TagGroupEnum } from './score.types.js';

async function agreementOf(comparison: Comparison): Promise<GraderAgreement> {
  const groups = await comparison.verdictGroups();
  const total = groups.reduce((sum, { counts }) => addCounts(sum, counts), NO_VERDICTS);
  const { baseline, candidate } = comparison.pair;
  return Object.assign(new GraderAgreement(), shownAgreement(agreement(total)), {
    baselineGrader: baseline.graderModel,
    candidateGrader: candidate.graderModel,
    byTag: agreementByTag(groups).map((row) => ({
      ...row,
      group: tagGroup(row.tag) as TagGroupEnum,
      label: tagLabel(row.tag),
    })),
  });
}

@Resolver(() => RunComparisonType)
export class ComparisonAgreementResolver {
  @FieldResolver(() => GraderAgreement, {
    nullable: true,
    description: 'Null unless both runs grade the same replies: else verdicts differ because replies do.',
  })
  async agreement(@Root() { comparison }: RunComparisonType): Promise<GraderAgreement | null> {
    return comparison.differences.sameReplies ? agreementOf(comparison) : null;
  }
}

@Resolver(() => RunType)
export class RunAgreementResolver {
  @FieldResolver(() => GraderAgreement, {
    nullable: true,
    description:
      'With the grader of the run that this one regrades; null for a run that is no regrade, and when that run is deleted.',
  })
  async agreement(@Root() run: RunType, @Ctx() { db, teamId }: RequestContext): Promise<GraderAgreement | null> {
    if (run.regradeOfId === null) return null;
    const [first, second] = await Promise.all([findRun(db, teamId, run.regradeOfId), findRun(db, teamId, run.key)]);
    return first === null || second === null ? null : agreementOf(await Comparison.of(db, teamId, first, second));
  }
}

@Resolver(() => GraderAgreement)
export class GraderAgreementResolver {
  @FieldResolver(() => [TagAgreement], { description: 'Of the criteria with a tag, or in conversations with it.' })
  tags(
    @Root() { byTag }: GraderAgreement,
    @Arg('group', () => TagGroupEnum, { nullable: true }) group?: TagGroupEnum | null,
  ): TagAgreement[] {
    return byTag.filter((row) => group == null || row.group === group);
  }
}
