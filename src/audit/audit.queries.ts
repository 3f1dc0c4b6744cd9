import type { AuditEvent, AuditOutcome, Database, Prisma } from '../platform/database.js';
import { parseGlobalId, uuidOf } from '../platform/relay/globalId.js';
import type { Connection, Page } from '../platform/relay/page.js';

export interface AuditFilter {
  action?: string | null;
  outcome?: AuditOutcome | null;
  /** Global id of the key. */
  apiKeyId?: string | null;
  /** Global id of what was changed; it need not exist any more. */
  subjectId?: string | null;
  actor?: string | null;
  since?: Date | null;
  until?: Date | null;
}

/** The events of the team, newest first. UUIDv7 ids are in order of creation. */
export async function listAuditEvents(
  db: Database,
  teamId: string,
  page: Page,
  filter: AuditFilter,
): Promise<Connection<AuditEvent>> {
  const where = auditWhere(teamId, filter);
  const after = page.after?.[0];
  const rows = await db.auditEvent.findMany({
    where: { AND: [where, after === undefined ? {} : { id: { lt: String(after) } }] },
    orderBy: { id: 'desc' },
    take: page.limit,
  });
  return page.connection(
    rows,
    (row) => [row.id],
    () => db.auditEvent.count({ where }),
  );
}

const EXPORT_BATCH = 1000;

/** All events of the team, oldest first, in constant memory. */
export async function* allAuditEvents(db: Database, teamId: string, filter: AuditFilter): AsyncGenerator<AuditEvent> {
  const where = auditWhere(teamId, filter);
  for (let last: string | null = null; ; ) {
    const rows: AuditEvent[] = await db.auditEvent.findMany({
      where: { AND: [where, last === null ? {} : { id: { gt: last } }] },
      orderBy: { id: 'asc' },
      take: EXPORT_BATCH,
    });
    yield* rows;
    last = rows.at(-1)?.id ?? null;
    if (rows.length < EXPORT_BATCH) return;
  }
}

/** A malformed id is one that nothing has. */
const NO_KEY = '00000000-0000-0000-0000-000000000000';

function auditWhere(teamId: string, filter: AuditFilter): Prisma.AuditEventWhereInput {
  const { action, outcome, apiKeyId, subjectId, actor, since, until } = filter;
  const subject = subjectId == null ? null : (parseGlobalId(subjectId) ?? { type: '', parts: [] });
  return {
    teamId,
    ...(action == null ? {} : { action }),
    ...(outcome == null ? {} : { outcome }),
    ...(actor == null ? {} : { actorName: actor }),
    ...(apiKeyId == null ? {} : { keyId: uuidOf('ApiKey', apiKeyId) ?? NO_KEY }),
    ...(subject === null ? {} : { subjectType: subject.type, subjectKey: subject.parts.join(':') }),
    at: { ...(since == null ? {} : { gte: since }), ...(until == null ? {} : { lt: until }) },
  };
}
