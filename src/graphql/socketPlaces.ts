import type { ServerResponse } from 'node:http';
import { LimitExceeded } from '../errors.js';
import type { Actor } from '../tenancy/requestContext.js';
import { whenClosed } from './whenClosed.js';

/** What one process serves at the same time. */
export interface SocketLimits {
  socketsPerKey: number;
  /** Operations of every kind that go on over sockets. */
  subscriptionsPerKey: number;
  subscriptionsPerSocket: number;
  /** Sockets that have not shown a credential yet, of everybody together. */
  strangers: number;
}

export const standardSocketLimits: SocketLimits = {
  socketsPerKey: 2_000,
  subscriptionsPerKey: 2_000,
  subscriptionsPerSocket: 100,
  strangers: 500,
};

/** Counts up to a limit for each name. */
class Counts {
  readonly #counts = new Map<string, number>();

  constructor(private readonly limit: number) {}

  /** False when there are as many already. */
  add(name: string): boolean {
    const count = this.#counts.get(name) ?? 0;
    if (count >= this.limit) return false;
    this.#counts.set(name, count + 1);
    return true;
  }

  remove(name: string): void {
    const left = (this.#counts.get(name) ?? 0) - 1;
    if (left > 0) this.#counts.set(name, left);
    else this.#counts.delete(name);
  }
}

/** Who has how many sockets and subscriptions open in this process. */
export class SocketPlaces {
  readonly strangers: Counts;
  readonly sockets: Counts;
  readonly subscriptions: Counts;

  constructor(readonly limits: SocketLimits) {
    this.strangers = new Counts(limits.strangers);
    this.sockets = new Counts(limits.socketsPerKey);
    this.subscriptions = new Counts(limits.subscriptionsPerKey);
  }

  /** Counts an event stream as a subscription until it is closed. Throws LimitExceeded when its key has too many. */
  stream(actor: Actor, answer: ServerResponse): void {
    const name = nameOf(actor);
    if (!this.subscriptions.add(name)) throw tooMany(this.limits.subscriptionsPerKey, 'key');
    whenClosed(answer, () => this.subscriptions.remove(name));
  }

  /** The place of a socket that was just opened; null when too many have not said who they are. */
  arrive(): SocketSeat | null {
    return this.strangers.add(STRANGER) ? new SocketSeat(this) : null;
  }
}

/** The place of one socket. */
export class SocketSeat {
  /** Whose socket it is; null for a stranger. */
  actor: Actor | null = null;
  #closed = false;
  readonly #operations = new Set<object>();

  constructor(private readonly places: SocketPlaces) {}

  /** Counts the socket as the actor's: a key by its id, a person by name. False when they have too many. */
  sit(actor: Actor): boolean {
    if (this.#closed || !this.places.sockets.add(nameOf(actor))) return false;
    this.places.strangers.remove(STRANGER);
    this.actor = actor;
    return true;
  }

  /** Counts an operation; throws LimitExceeded when there are too many on the socket or of its key. */
  enter(operation: object): void {
    const { limits, subscriptions } = this.places;
    if (this.#operations.size >= limits.subscriptionsPerSocket) throw tooMany(limits.subscriptionsPerSocket, 'socket');
    if (this.#closed || !subscriptions.add(nameOf(this.actor))) throw tooMany(limits.subscriptionsPerKey, 'key');
    this.#operations.add(operation);
  }

  leave(operation: object): void {
    if (this.#operations.delete(operation)) this.places.subscriptions.remove(nameOf(this.actor));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const operation of [...this.#operations]) this.leave(operation);
    if (this.actor === null) this.places.strangers.remove(STRANGER);
    else this.places.sockets.remove(nameOf(this.actor));
  }
}

const STRANGER = '';
const nameOf = (actor: Actor | null): string =>
  actor === null ? STRANGER : `${actor.teamId} ${actor.keyId ?? actor.keyName}`;

const tooMany = (limit: number, of: string): LimitExceeded =>
  new LimitExceeded('TOO_MANY_SUBSCRIPTIONS', `There may be ${limit} subscriptions at the same time for one ${of}.`);
