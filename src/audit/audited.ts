import { ExpectedError } from '../errors.js';
import type { Database, Queryable } from '../platform/database.js';
import type { Change, RequestContext } from '../tenancy/requestContext.js';
import { shownName } from './auditDetails.js';
import { originOf, writeAuditEvent } from './auditEvent.js';
import { subjectOf } from './auditSubject.js';
import { writeErasure } from './erasedTeam.js';

export interface AuditedAction extends Change {
  /** What the log calls it. */
  name: string;
  /** False: it opens its transactions itself, because it commits more than once or waits for somebody else. */
  oneTransaction: boolean;
}

/** Rolls back a change that has ended in user errors. */
class TurnedDown extends Error {
  constructor(
    readonly payload: unknown,
    readonly code: string,
  ) {
    super(code);
  }
}

/**
 * Runs an action of a team and writes it into the team's audit log. What is done and the event that tells of it are
 * committed together; what is refused or fails leaves an event, and nothing else. Without a team nothing is written:
 * nobody knows whose log it would be.
 *
 * @param act gets the context to work with; an answer that holds user errors is taken back
 */
export async function audited<T>(
  context: RequestContext,
  action: AuditedAction,
  act: (context: RequestContext) => Promise<T>,
): Promise<T> {
  // Refused by the role check inside, before anything is opened.
  if (action.oneTransaction && (context.actor?.teamId ?? null) === null) return act(context);
  try {
    return await (action.oneTransaction ? together(context, action, act) : apart(context, action, act));
  } catch (error) {
    await writeRefusal(context, action, error);
    if (error instanceof TurnedDown) return error.payload as T;
    throw error;
  }
}

/** Writes down that somebody takes data out: before the first byte, for what was sent cannot be called back. */
export function recordExport(context: RequestContext, name: string, about: Change = {}): Promise<void> {
  return audited(context, { name, oneTransaction: true, ...about }, async () => {});
}

/** In one transaction; those that the action opens become part of it. */
function together<T>(context: RequestContext, action: AuditedAction, act: (context: RequestContext) => Promise<T>) {
  return context.db.$transaction(async (tx) => {
    const answer = accepted(await act(context.with({ db: tx as unknown as Database })));
    await write(tx, context, context.teamId, action, { subject: subjectOf(answer) });
    return answer;
  });
}

/** The action says in which of its transactions the event is written; if it does not, it is written afterwards. */
async function apart<T>(context: RequestContext, action: AuditedAction, act: (context: RequestContext) => Promise<T>) {
  let written = false;
  const recordChange = async (tx: Queryable, teamId: string, change: Change) => {
    await write(tx, context, teamId, action, change);
    written = true;
  };
  const answer = accepted(await act(context.with({ recordChange })));
  if (!written) await write(context.db, context, context.teamId, action, { subject: subjectOf(answer) });
  return answer;
}

async function write(tx: Queryable, context: RequestContext, teamId: string, action: AuditedAction, change: Change) {
  if (change.erased !== undefined) return writeErasure(tx, teamId, originOf(context), change.erased);
  const subject = change.subject ?? action.subject ?? null;
  await writeAuditEvent(tx, teamId, originOf(context), {
    action: action.name,
    outcome: 'DONE',
    subject: subject && { ...subject, name: subject.name == null ? null : shownName(subject.name) },
    details: { ...action.details, ...change.details },
  });
}

/** The answer, unless it tells of user errors. */
function accepted<T>(answer: T): T {
  const { userErrors } = (answer ?? {}) as { userErrors?: { code: string }[] };
  const first = Array.isArray(userErrors) ? userErrors[0] : undefined;
  if (first !== undefined) throw new TurnedDown(answer, first.code);
  return answer;
}

/** Never replaces the error that the caller is to see. */
async function writeRefusal(context: RequestContext, action: AuditedAction, error: unknown): Promise<void> {
  const { actor, services } = context;
  if (actor === null || actor.teamId === null) return;
  const refused = error instanceof TurnedDown || error instanceof ExpectedError;
  const event = {
    action: action.name,
    outcome: refused ? ('REFUSED' as const) : ('FAILED' as const),
    code: refused ? error.code : 'INTERNAL_SERVER_ERROR',
    subject: action.subject ?? null,
    details: action.details ?? {},
  };
  await writeAuditEvent(services.teams.of(actor.teamId), actor.teamId, originOf(context), event).catch((failure) =>
    services.log.error({ err: failure, requestId: context.requestId, action: action.name }, 'an audit event is lost'),
  );
}
