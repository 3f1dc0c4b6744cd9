import { defaultFieldResolver, type GraphQLField, type GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';
import type { RequestContext } from '../tenancy/requestContext.js';
import { type AuditDetails, auditDetails } from './auditDetails.js';
import { audited } from './audited.js';
import { subjectOfInput } from './auditSubject.js';

/**
 * For a mutation that commits more than once, or that waits for somebody else: it is not run inside a transaction. It
 * calls `context.recordChange` in the one that makes the change; if it does not, its event is written afterwards.
 */
export const OwnTransactions = (): MethodDecorator & PropertyDecorator => Extensions({ ownTransactions: true });

/** Makes every mutation, also one that is added later, leave an event in the audit log of its team. */
export function auditMutations(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) audit(field);
  return schema;
}

function audit(field: GraphQLField<unknown, RequestContext>): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  // The operator has no team whose transaction it could be.
  const oneTransaction = field.extensions.ownTransactions !== true && field.extensions.access !== 'OPERATOR';
  field.resolve = (source, args, context, info) => {
    const act = async (inner: RequestContext) => resolve(source, args, inner, info);
    const action = { name: field.name, oneTransaction, details: detailsOf(field, args), subject: subjectOfInput(args) };
    return audited(context, action, act);
  };
}

function detailsOf(field: GraphQLField<unknown, RequestContext>, args: Record<string, unknown>): AuditDetails {
  return Object.assign(
    {},
    ...field.args.map(({ name, type }) =>
      name === 'input' ? auditDetails(type, args[name]) : prefixed(name, auditDetails(type, args[name])),
    ),
  );
}

const prefixed = (name: string, details: AuditDetails): AuditDetails =>
  Object.fromEntries(Object.entries(details).map(([path, value]) => [path === '' ? name : `${name}.${path}`, value]));
