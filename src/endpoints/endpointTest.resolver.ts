import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { requireUuid } from '../platform/relay/globalId.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { endpointTestType, TestModelEndpointInput, TestModelEndpointPayload } from './endpointTest.types.js';
import { findModelEndpoint } from './modelEndpoint.js';
import { testModelEndpoint } from './testModelEndpoint.js';

/** Longer than the deadlines of all its calls: a last resort. */
const LONGEST_MS = 90_000;

@Resolver()
export class EndpointTestResolver {
  @Access('RUNNER')
  @Mutation(() => TestModelEndpointPayload, {
    description:
      'Whether an endpoint will do: reachable, key valid, model there, JSON by schema, how fast. Costs at most two ' +
      'tiny calls. What the provider does wrong is a finding and no error.',
  })
  testModelEndpoint(
    @Arg('input', () => TestModelEndpointInput) input: TestModelEndpointInput,
    @Ctx() context: RequestContext,
  ): Promise<TestModelEndpointPayload> {
    const { db, teamId, services } = context;
    return withUserErrors<Omit<TestModelEndpointPayload, 'userErrors'>>({ test: null }, async () => {
      const id = requireUuid('ModelEndpoint', input.endpointId, 'endpointId');
      const row = await findModelEndpoint(db, teamId, id);
      const model = input.model == null ? (row.defaultModel ?? row.defaultGrader) : cleanText(input.model, ['model']);
      const signal = AbortSignal.timeout(LONGEST_MS);
      return { test: endpointTestType(await testModelEndpoint(services.secrets, row, model, signal)) };
    });
  }
}
