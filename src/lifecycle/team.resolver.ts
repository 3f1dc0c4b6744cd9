import { Arg, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { OwnTransactions } from '../audit/auditMutations.js';
import { listErasedTeams } from '../audit/erasedTeam.js';
import { InvalidInput } from '../errors.js';
import type { Team } from '../platform/database.js';
import { globalId, requireUuid } from '../platform/relay/globalId.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { eraseTeam } from './eraseTeam.js';
import {
  ApplyRetentionInput,
  DeletionPayload,
  deletedRows,
  ErasedTeam,
  EraseTeamByIdInput,
  EraseTeamInput,
  Retention,
  RetentionPayload,
  UpdateRetentionInput,
} from './lifecycle.types.js';
import { applyRetentionNow, expiredRuns, updateRetention } from './retention.js';

function retentionType(team: Team): Retention {
  const { deleteRunsAfterDays, keepAggregates, retentionAppliedAt: lastAppliedAt } = team;
  return Object.assign(new Retention(), { team, deleteRunsAfterDays, keepAggregates, lastAppliedAt });
}

const retentionPayload = (run: () => Promise<Team>): Promise<RetentionPayload> =>
  withUserErrors<Omit<RetentionPayload, 'userErrors'>>({ retention: null }, async () => ({
    retention: retentionType(await run()),
  }));

@Resolver(() => Retention)
export class RetentionResolver {
  @Access('VIEWER')
  @Query(() => Retention)
  async retention(@Ctx() context: RequestContext): Promise<Retention> {
    return retentionType(await context.db.team.findUniqueOrThrow({ where: { id: context.teamId } }));
  }

  @FieldResolver(() => Int, { description: 'Runs that would be deleted (or lose their texts) now.' })
  async expiredRuns(@Root() { team }: Retention, @Ctx() context: RequestContext): Promise<number> {
    const where = expiredRuns(team, new Date());
    return where === null ? 0 : context.db.run.count({ where });
  }

  @Access('ADMIN')
  @Mutation(() => RetentionPayload, { description: 'First applied a day later, or by applyRetention.' })
  updateRetention(
    @Arg('input', () => UpdateRetentionInput) input: UpdateRetentionInput,
    @Ctx() context: RequestContext,
  ): Promise<RetentionPayload> {
    const { deleteRunsAfterDays = null, keepAggregates } = input;
    return retentionPayload(() =>
      updateRetention(context.db, context.teamId, { deleteRunsAfterDays, keepAggregates: keepAggregates ?? false }),
    );
  }

  @Access('ADMIN')
  @Mutation(() => RetentionPayload, { description: 'Starts deleting now what has expired; the audit log tells what.' })
  applyRetention(
    @Arg('input', () => ApplyRetentionInput) input: ApplyRetentionInput,
    @Ctx() context: RequestContext,
  ): Promise<RetentionPayload> {
    return retentionPayload(async () => {
      const team = await applyRetentionNow(context.db, context.services.queue, context.teamId);
      if (team.deleteRunsAfterDays !== input.deleteRunsAfterDays) {
        throw new InvalidInput(`The team keeps its runs for ${team.deleteRunsAfterDays} days.`, [
          'deleteRunsAfterDays',
        ]);
      }
      return team;
    });
  }
}

@Resolver()
export class ErasureResolver {
  @Access('ADMIN')
  @OwnTransactions()
  @Mutation(() => DeletionPayload, { description: 'Deletes your team with everything of it. Not to be undone.' })
  eraseTeam(
    @Arg('input', () => EraseTeamInput) input: EraseTeamInput,
    @Ctx() context: RequestContext,
  ): Promise<DeletionPayload> {
    return erase(context, () => ({ teamId: context.teamId, confirm: input.confirm }));
  }

  @Access('OPERATOR')
  @Mutation(() => DeletionPayload, { description: 'Deletes a team with everything of it. Not to be undone.' })
  eraseTeamById(
    @Arg('input', () => EraseTeamByIdInput) input: EraseTeamByIdInput,
    @Ctx() context: RequestContext,
  ): Promise<DeletionPayload> {
    return erase(context, () => ({ teamId: requireUuid('Team', input.teamId, 'teamId'), confirm: input.confirm }));
  }

  @Access('OPERATOR')
  @Query(() => [ErasedTeam], { description: 'The teams that were erased, newest first; at most 200.' })
  async erasedTeams(@Ctx() context: RequestContext): Promise<ErasedTeam[]> {
    const rows = await listErasedTeams(context.db);
    return rows.map((row) => ({ ...row, teamId: globalId('Team', row.teamId), deleted: deletedRows(row.deleted) }));
  }
}

const erase = (context: RequestContext, input: () => { teamId: string; confirm: string }): Promise<DeletionPayload> =>
  withUserErrors<Omit<DeletionPayload, 'userErrors'>>({ deleted: [] }, async () => {
    const { teamId, confirm } = input();
    const deleted = await eraseTeam(context.services, { teamId, confirm }, (tx, erased) =>
      context.recordChange(tx, teamId, { erased }),
    );
    return { deleted: deletedRows(deleted) };
  });
