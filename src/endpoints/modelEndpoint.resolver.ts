import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { ModelEndpoint } from '../platform/database.js';
import { globalId, requireUuid } from '../platform/relay/globalId.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { createModelEndpoint, deleteModelEndpoint, updateModelEndpoint } from './modelEndpoint.js';
import {
  CreateModelEndpointInput,
  DeleteModelEndpointInput,
  ModelEndpointPayload,
  ModelEndpointType,
  type ModelPriceType,
  UpdateModelEndpointInput,
} from './modelEndpoint.types.js';

/** The row without its secret. */
export function modelEndpointType(row: ModelEndpoint): ModelEndpointType {
  const { apiKeyCiphertext, secretKeyId, teamId, deletedAt, ...shown } = row;
  return Object.assign(new ModelEndpointType(), shown, {
    id: globalId('ModelEndpoint', row.id),
    hasApiKey: apiKeyCiphertext !== null,
    prices: row.prices as unknown as ModelPriceType[],
  });
}

const payload = (run: () => Promise<ModelEndpoint>): Promise<ModelEndpointPayload> =>
  withUserErrors<Omit<ModelEndpointPayload, 'userErrors'>>({ modelEndpoint: null }, async () => ({
    modelEndpoint: modelEndpointType(await run()),
  }));

@Resolver()
export class ModelEndpointResolver {
  @Access('VIEWER')
  @Query(() => [ModelEndpointType], { description: 'The providers of the team, oldest first.' })
  async modelEndpoints(@Ctx() context: RequestContext): Promise<ModelEndpointType[]> {
    const rows = await context.db.modelEndpoint.findMany({
      where: { teamId: context.teamId, deletedAt: null },
      orderBy: { id: 'asc' },
      take: 200,
    });
    return rows.map(modelEndpointType);
  }

  @Access('ADMIN')
  @Mutation(() => ModelEndpointPayload)
  createModelEndpoint(
    @Arg('input', () => CreateModelEndpointInput) input: CreateModelEndpointInput,
    @Ctx() context: RequestContext,
  ): Promise<ModelEndpointPayload> {
    return payload(() => createModelEndpoint(context.db, context.services.secrets, context.teamId, input));
  }

  @Access('ADMIN')
  @Mutation(() => ModelEndpointPayload)
  updateModelEndpoint(
    @Arg('input', () => UpdateModelEndpointInput) input: UpdateModelEndpointInput,
    @Ctx() context: RequestContext,
  ): Promise<ModelEndpointPayload> {
    return payload(() => {
      const { endpointId, ...changes } = input;
      const id = requireUuid('ModelEndpoint', endpointId, 'endpointId');
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      return updateModelEndpoint(context.db, context.services.secrets, context.teamId, id, given);
    });
  }

  @Access('ADMIN')
  @Mutation(() => ModelEndpointPayload)
  deleteModelEndpoint(
    @Arg('input', () => DeleteModelEndpointInput) input: DeleteModelEndpointInput,
    @Ctx() context: RequestContext,
  ): Promise<ModelEndpointPayload> {
    return payload(() =>
      deleteModelEndpoint(context.db, context.teamId, requireUuid('ModelEndpoint', input.endpointId, 'endpointId')),
    );
  }
}
