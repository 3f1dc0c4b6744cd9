import type { Log } from '../platform/log.js';
import type { WakeUps } from '../platform/wakeUps.js';
import { apiKeyWakeKey } from './apiKey.js';
import type { Authenticator } from './authenticator.js';
import type { Actor } from './requestContext.js';

/** The credential was revoked or has expired: connecting again with it is pointless. */
export const CREDENTIAL_ENDED = 4401;
/** The role of the credential has changed: connect again to work under the new one. */
export const ROLE_CHANGED = 4410;

/** A lost hint costs this long at most. */
const POLL_MS = 10_000;
/** Between two looks at a key that should have expired. */
const RECHECK_MS = 250;
/** A longer timer fires at once: what is left is waited for afterwards. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A socket or another answer that stays open. */
export interface OpenAnswer {
  close(code: number, reason: string): void;
}

/** What is open for one credential. */
interface Session {
  actor: Actor;
  answers: Set<OpenAnswer>;
  /** Fires when the credential expires, or when it is time to wait for the rest. */
  expiry: NodeJS.Timeout | undefined;
  unwatch(): void;
}

/**
 * Closes sockets and event streams as soon as their credential is no longer what it was when they were opened:
 * revoked, expired, or with another role. Woken by the change itself, in whichever process it was made.
 */
export class CredentialWatch {
  readonly #sessions = new Map<string, Session>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly wakeUps: WakeUps,
    private readonly log: Log,
  ) {
    this.#timer = setInterval(() => {
      for (const authorization of this.#sessions.keys()) void this.check(authorization);
    }, POLL_MS);
    this.#timer.unref();
  }

  /** Watches the credential for `answer` until `leave`. */
  join(authorization: string, actor: Actor, answer: OpenAnswer): void {
    const session = this.#sessions.get(authorization) ?? this.#open(authorization, actor);
    session.answers.add(answer);
    // It may have changed between the check at connecting and now.
    void this.check(authorization);
  }

  leave(authorization: string, answer: OpenAnswer): void {
    const session = this.#sessions.get(authorization);
    session?.answers.delete(answer);
    if (session?.answers.size === 0) this.#forget(authorization, session);
  }

  /** Looks at the credential now. False when its answers had to be closed. */
  async check(authorization: string): Promise<boolean> {
    const session = this.#sessions.get(authorization);
    if (session === undefined) return false;
    try {
      const actor = await this.authenticator.actorOf(authorization);
      if (actor === null) return this.#close(authorization, session, CREDENTIAL_ENDED, 'Credential ended');
      if (actor.role !== session.actor.role) return this.#close(authorization, session, ROLE_CHANGED, 'Role changed');
      this.#renew(authorization, session, actor);
      return true;
    } catch (error) {
      this.log.warn({ err: error }, 'a credential cannot be checked; trying again');
      return true;
    }
  }

  #open(authorization: string, actor: Actor): Session {
    const check = () => void this.check(authorization);
    const unwatch = actor.keyId === null ? () => {} : this.wakeUps.on(apiKeyWakeKey(actor.keyId), check);
    const session: Session = { actor, answers: new Set(), expiry: undefined, unwatch };
    this.#sessions.set(authorization, session);
    this.#awaitExpiry(authorization, session);
    return session;
  }

  /** A key may have got more time, or less. */
  #renew(authorization: string, session: Session, actor: Actor): void {
    const changed = actor.expiresAt?.getTime() !== session.actor.expiresAt?.getTime();
    session.actor = actor;
    if (changed && this.#sessions.get(authorization) === session) this.#awaitExpiry(authorization, session);
  }

  #awaitExpiry(authorization: string, session: Session, leastMs = 0): void {
    clearTimeout(session.expiry);
    const { expiresAt } = session.actor;
    if (expiresAt === null) return;
    const left = Math.max(leastMs, expiresAt.getTime() - Date.now());
    const expire = () => void this.#expire(authorization, session);
    const waitOn = () => this.#awaitExpiry(authorization, session);
    session.expiry = left > LONGEST_TIMER_MS ? setTimeout(waitOn, LONGEST_TIMER_MS) : setTimeout(expire, left);
    session.expiry.unref();
  }

  /** A key may have got more time meanwhile; a token is over, whatever the tolerance for clocks says. */
  async #expire(authorization: string, session: Session): Promise<void> {
    if (session.actor.keyId === null) this.#close(authorization, session, CREDENTIAL_ENDED, 'Credential ended');
    else if (await this.check(authorization)) {
      // By the clock of Postgres, which counts, there may be a moment left.
      if (this.#sessions.get(authorization) === session) this.#awaitExpiry(authorization, session, RECHECK_MS);
    }
  }

  #close(authorization: string, session: Session, code: number, reason: string): false {
    this.#forget(authorization, session);
    for (const answer of session.answers) answer.close(code, reason);
    return false;
  }

  #forget(authorization: string, session: Session): void {
    clearTimeout(session.expiry);
    session.unwatch();
    if (this.#sessions.get(authorization) === session) this.#sessions.delete(authorization);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const [authorization, session] of this.#sessions) this.#forget(authorization, session);
  }
}
