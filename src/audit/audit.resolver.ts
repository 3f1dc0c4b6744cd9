import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { type Connection, mapConnection, Page } from '../platform/relay/page.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { listAuditEvents } from './audit.queries.js';
import { AuditEventConnection, AuditEventsArgs, type AuditEventType, auditEventType } from './audit.types.js';

@Resolver()
export class AuditResolver {
  @Access('ADMIN')
  @Query(() => AuditEventConnection, { description: 'The audit log of the team, newest first.' })
  async auditEvents(
    @Args(() => AuditEventsArgs) args: AuditEventsArgs,
    @Ctx() context: RequestContext,
  ): Promise<Connection<AuditEventType>> {
    const filter = args.filter ?? {};
    const page = new Page(args, ['audit events', filter]);
    return mapConnection(await listAuditEvents(context.db, context.teamId, page, filter), auditEventType);
  }
}
