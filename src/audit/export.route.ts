import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '../errors.js';
import type { AuditEvent } from '../platform/database.js';
import { jsonLines } from '../platform/jsonLines.js';
import { requireRole } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { allAuditEvents } from './audit.queries.js';
import { shownEvent } from './audit.types.js';
import { recordExport } from './audited.js';

/** Authenticates a request. */
export type ContextOf = (request: FastifyRequest) => Promise<RequestContext>;

/** `GET /audit/export?since=…&until=…`: the audit log of the team as JSONL, oldest first. For admins. */
export function registerAuditExport(app: FastifyInstance, contextOf: ContextOf): void {
  app.get<{ Querystring: { since?: string; until?: string } }>('/audit/export', async (request, reply) => {
    const context = await contextOf(request);
    const filter = { since: timeOf('since', request.query.since), until: timeOf('until', request.query.until) };
    return sendExport(reply, context, 'exportAudit', () => shown(allAuditEvents(context.db, context.teamId, filter)));
  });
}

/**
 * Answers with an export for admins, streamed, and writes into the audit log that it was made. A failure on the way
 * ends the connection without the closing chunk, so a cut file is never taken for a whole one.
 */
export async function sendExport(
  reply: FastifyReply,
  context: RequestContext,
  name: string,
  rows: () => AsyncIterable<object>,
): Promise<FastifyReply> {
  requireRole(context, 'ADMIN');
  await recordExport(context, name);
  const file = `assay-${name}-${new Date().toISOString().slice(0, 10)}.jsonl`;
  reply.header('content-type', 'application/x-ndjson; charset=utf-8');
  reply.header('content-disposition', `attachment; filename="${file}"`);
  reply.header('cache-control', 'no-store');
  return reply.send(jsonLines(rows()));
}

async function* shown(events: AsyncIterable<AuditEvent>): AsyncGenerator<object> {
  for await (const event of events) yield shownEvent(event);
}

function timeOf(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidInput('A time is written like 2026-03-29T12:00:00Z.', [name]);
  return time;
}
