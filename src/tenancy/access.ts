import { defaultFieldResolver, type GraphQLField, type GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';
import { Forbidden, Unauthenticated } from '../errors.js';
import type { Role } from '../platform/database.js';
import type { RequestContext } from './requestContext.js';
import { isAtLeast } from './role.js';

/** The operator stands apart: makes teams and sees nothing of theirs. */
export type AccessRole = Role | 'OPERATOR';

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
  const enough = role === 'OPERATOR' || actor.role === 'OPERATOR' ? actor.role === role : isAtLeast(actor.role, role);
  if (!enough) throw new Forbidden(`This needs the role ${role}; the key has ${actor.role}.`);
}
