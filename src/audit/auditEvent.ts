import { ActorKind, type AuditOutcome, type Queryable } from '../platform/database.js';
import type { Actor, Change, RequestContext } from '../tenancy/requestContext.js';

/** Who does something, and from where. */
export interface Origin {
  kind: ActorKind;
  name: string | null;
  role: string | null;
  keyId: string | null;
  address: string | null;
  requestId: string | null;
}

export interface NewAuditEvent extends Change {
  /** The mutation's name, or the export's. */
  action: string;
  outcome: AuditOutcome;
  /** Of the error. */
  code?: string;
}

function kindOf(actor: Actor): ActorKind {
  if (actor.role === 'OPERATOR') return ActorKind.OPERATOR;
  if (actor.viaLink === true) return ActorKind.LINK;
  return actor.keyId === null ? ActorKind.PERSON : ActorKind.KEY;
}

/** Who is behind a request. Throws when nobody is. */
export function originOf({ actor, address, requestId }: RequestContext): Origin {
  if (actor === null) throw new Error('nobody is behind this request');
  return { kind: kindOf(actor), name: actor.keyName, role: actor.role, keyId: actor.keyId, address, requestId };
}

/** What the service does by itself, because the team has told it to. */
export const serviceOrigin = (name: string): Origin => ({
  kind: ActorKind.SYSTEM,
  name,
  role: null,
  keyId: null,
  address: null,
  requestId: null,
});

/** Adds an event to the log of `teamId`: in the transaction of the change where there is one. */
export async function writeAuditEvent(
  tx: Queryable,
  teamId: string,
  origin: Origin,
  { action, outcome, code, subject, details }: NewAuditEvent,
): Promise<void> {
  await tx.auditEvent.create({
    data: {
      teamId,
      action,
      outcome,
      code: code ?? null,
      actorKind: origin.kind,
      actorName: origin.name,
      actorRole: origin.role,
      keyId: origin.keyId,
      address: origin.address,
      requestId: origin.requestId,
      subjectType: subject?.type ?? null,
      subjectKey: subject?.key ?? null,
      subjectName: subject?.name ?? null,
      details: { ...details },
    },
  });
}
