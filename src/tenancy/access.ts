import { defaultFieldResolver, type GraphQLField, type GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';
import { Forbidden, Unauthenticated } from '../errors.js';
import type { RequestContext } from './requestContext.js';

/** Each role may do what the ones before it may; the operator stands apart. */
export type AccessRole = 'VIEWER' | 'RUNNER' | 'ADMIN' | 'OPERATOR';

const rank: Record<AccessRole, number> = { VIEWER: 0, RUNNER: 1, ADMIN: 2, OPERATOR: -1 };

/** Declares the role that a root field needs. */
export const Access = (role: AccessRole): MethodDecorator & PropertyDecorator => Extensions({ access: role });

/**
 * Makes every root field check its declared role before anything else runs, over HTTP and WebSocket
 * alike. Throws at start-up when a root field declares none, so that it cannot be forgotten.
 */
export function enforceAccess(schema: GraphQLSchema): GraphQLSchema {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const root of roots) {
    for (const field of Object.values(root?.getFields() ?? {})) guard(root?.name ?? '', field);
  }
  return schema;
}

function guard(root: string, field: GraphQLField<unknown, RequestContext>): void {
  const role = field.extensions.access as AccessRole | undefined;
  if (role === undefined) throw new Error(`${root}.${field.name} declares no role: add @Access(…).`);
  if (root === 'Subscription') {
    const subscribe = field.subscribe;
    if (subscribe === undefined) throw new Error(`Subscription.${field.name} has no subscribe function.`);
    field.subscribe = (source, args, context, info) => {
      requireRole(context, role);
      return subscribe(source, args, context, info);
    };
    return;
  }
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (source, args, context, info) => {
    requireRole(context, role);
    return resolve(source, args, context, info);
  };
}

/** Throws Unauthenticated or Forbidden unless the actor has `role` or a higher one. */
export function requireRole(context: RequestContext, role: AccessRole): void {
  const { actor } = context;
  if (actor === null) throw new Unauthenticated();
  // The operator makes teams and sees nothing of theirs.
  const enough =
    role === 'OPERATOR' || actor.role === 'OPERATOR' ? actor.role === role : rank[actor.role] >= rank[role];
  if (!enough) throw new Forbidden(`This needs the role ${role}; the key has ${actor.role}.`);
}
