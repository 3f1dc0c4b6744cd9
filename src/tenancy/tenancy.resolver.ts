import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { ApiKey, Team } from '../platform/database.js';
import { globalId, requireUuid } from '../platform/relay/globalId.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import { Access } from './access.js';
import { createApiKey, givenExpiry, givenRole, revokeApiKey, updateApiKey } from './apiKey.js';
import { countAll } from './installation.js';
import type { Actor, RequestContext } from './requestContext.js';
import { createTeam, limitTeam } from './team.js';
import {
  ApiKeyType,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  CreateTeamInput,
  CreateTeamPayload,
  Installation,
  RevokeApiKeyInput,
  RevokeApiKeyPayload,
  type TeamType,
  UpdateApiKeyInput,
  UpdateApiKeyPayload,
  UpdateTeamInput,
  UpdateTeamPayload,
  Viewer,
} from './tenancy.types.js';

const teamType = (team: Team): TeamType => ({ ...team, id: globalId('Team', team.id) });
// @Access has checked that somebody asks.
const giverOf = (context: RequestContext): Actor => context.actor as Actor;
const apiKeyType = (key: ApiKey): ApiKeyType => ({ ...key, id: globalId('ApiKey', key.id) });

@Resolver()
export class TenancyResolver {
  @Access('VIEWER')
  @Query(() => Viewer, { description: 'The team, role and key of the one who asks.' })
  async viewer(@Ctx() context: RequestContext): Promise<Viewer> {
    const team = await context.db.team.findUniqueOrThrow({ where: { id: context.teamId } });
    return {
      team: teamType(team),
      role: context.actor?.role as Viewer['role'],
      keyName: context.actor?.keyName ?? null,
      expiresAt: context.actor?.expiresAt ?? null,
    };
  }

  @Access('ADMIN')
  @Query(() => [ApiKeyType], { description: 'The keys of the team, newest first; never the keys themselves.' })
  async apiKeys(@Ctx() context: RequestContext): Promise<ApiKeyType[]> {
    const keys = await context.db.apiKey.findMany({ where: { teamId: context.teamId }, orderBy: { id: 'desc' } });
    return keys.map(apiKeyType);
  }

  @Access('ADMIN')
  @Mutation(() => CreateApiKeyPayload)
  createApiKey(
    @Arg('input', () => CreateApiKeyInput) input: CreateApiKeyInput,
    @Ctx() context: RequestContext,
  ): Promise<CreateApiKeyPayload> {
    return withUserErrors<Omit<CreateApiKeyPayload, 'userErrors'>>({ apiKey: null, secret: null }, async () => {
      const name = cleanText(input.name, ['name']);
      const made = await createApiKey(context.db, {
        teamId: context.teamId,
        name,
        role: givenRole(giverOf(context), input.role),
        expiresAt: givenExpiry(giverOf(context), input.expiresAt),
      });
      return { apiKey: apiKeyType(made.apiKey), secret: made.secret };
    });
  }

  @Access('ADMIN')
  @Mutation(() => RevokeApiKeyPayload, { description: 'At once: its open sockets are closed with 4401.' })
  revokeApiKey(
    @Arg('input', () => RevokeApiKeyInput) input: RevokeApiKeyInput,
    @Ctx() context: RequestContext,
  ): Promise<RevokeApiKeyPayload> {
    return withUserErrors<Omit<RevokeApiKeyPayload, 'userErrors'>>({ apiKey: null }, async () => {
      const id = requireUuid('ApiKey', input.apiKeyId, 'apiKeyId');
      const key = { teamId: context.teamId, id };
      return { apiKey: apiKeyType(await revokeApiKey(context.db, giverOf(context), key)) };
    });
  }

  @Access('ADMIN')
  @Mutation(() => UpdateApiKeyPayload, {
    description: 'Changes name, role or expiry at once: open sockets of a key with another role are closed with 4410.',
  })
  updateApiKey(
    @Arg('input', () => UpdateApiKeyInput) input: UpdateApiKeyInput,
    @Ctx() context: RequestContext,
  ): Promise<UpdateApiKeyPayload> {
    return withUserErrors<Omit<UpdateApiKeyPayload, 'userErrors'>>({ apiKey: null }, async () => {
      const key = { teamId: context.teamId, id: requireUuid('ApiKey', input.apiKeyId, 'apiKeyId') };
      const changed = await updateApiKey(context.db, giverOf(context), key, {
        ...(input.name == null ? {} : { name: cleanText(input.name, ['name']) }),
        ...(input.role == null ? {} : { role: input.role }),
        ...(input.expiresAt === undefined ? {} : { expiresAt: input.expiresAt }),
      });
      return { apiKey: apiKeyType(changed) };
    });
  }

  @Access('OPERATOR')
  @Query(() => Installation, { description: 'How much there is, over all teams.' })
  installation(@Ctx() context: RequestContext): Promise<Installation> {
    return countAll(context.db);
  }

  @Access('OPERATOR')
  @Mutation(() => CreateTeamPayload)
  createTeam(
    @Arg('input', () => CreateTeamInput) input: CreateTeamInput,
    @Ctx() context: RequestContext,
  ): Promise<CreateTeamPayload> {
    return withUserErrors<Omit<CreateTeamPayload, 'userErrors'>>({ team: null, secret: null }, async () => {
      const name = cleanText(input.name, ['name']);
      const made = await createTeam(context.services, name, null, (tx, team) =>
        context.recordChange(tx, team.id, { subject: { type: 'Team', key: team.id, name: team.name } }),
      );
      return { team: teamType(made.team), secret: made.secret };
    });
  }

  @Access('OPERATOR')
  @Mutation(() => UpdateTeamPayload, { description: 'Gives a team a limit of its own; runs that go on keep to it.' })
  updateTeam(
    @Arg('input', () => UpdateTeamInput) input: UpdateTeamInput,
    @Ctx() context: RequestContext,
  ): Promise<UpdateTeamPayload> {
    return withUserErrors<Omit<UpdateTeamPayload, 'userErrors'>>({ team: null }, async () => {
      const team = await limitTeam(context.services, input.name, input.maxConcurrency ?? null, (tx, { id, name }) =>
        context.recordChange(tx, id, { subject: { type: 'Team', key: id, name } }),
      );
      return { team: teamType(team) };
    });
  }
}
