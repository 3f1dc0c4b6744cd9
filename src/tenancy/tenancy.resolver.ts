import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { ApiKey, Team } from '../platform/database.js';
import { globalId, requireUuid } from '../platform/relay/globalId.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import { Access } from './access.js';
import { createApiKey, revokeApiKey } from './apiKey.js';
import type { RequestContext } from './requestContext.js';
import { createTeam } from './team.js';
import {
  ApiKeyType,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  CreateTeamInput,
  CreateTeamPayload,
  RevokeApiKeyInput,
  RevokeApiKeyPayload,
  type TeamType,
  Viewer,
} from './tenancy.types.js';

const teamType = (team: Team): TeamType => ({ ...team, id: globalId('Team', team.id) });
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
      const made = await createApiKey(context.db, { teamId: context.teamId, name, role: input.role });
      return { apiKey: apiKeyType(made.apiKey), secret: made.secret };
    });
  }

  @Access('ADMIN')
  @Mutation(() => RevokeApiKeyPayload)
  revokeApiKey(
    @Arg('input', () => RevokeApiKeyInput) input: RevokeApiKeyInput,
    @Ctx() context: RequestContext,
  ): Promise<RevokeApiKeyPayload> {
    return withUserErrors<Omit<RevokeApiKeyPayload, 'userErrors'>>({ apiKey: null }, async () => {
      const id = requireUuid('ApiKey', input.apiKeyId, 'apiKeyId');
      return { apiKey: apiKeyType(await revokeApiKey(context.db, context.teamId, id)) };
    });
  }

  @Access('OPERATOR')
  @Mutation(() => CreateTeamPayload)
  createTeam(
    @Arg('input', () => CreateTeamInput) input: CreateTeamInput,
    @Ctx() context: RequestContext,
  ): Promise<CreateTeamPayload> {
    return withUserErrors<Omit<CreateTeamPayload, 'userErrors'>>({ team: null, secret: null }, async () => {
      const made = await createTeam(context.db, cleanText(input.name, ['name']));
      return { team: teamType(made.team), secret: made.secret };
    });
  }
}
