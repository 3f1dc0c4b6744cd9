import { runInThisContext } from 'node:vm';
import { AddressBlocked, guardedLookup } from './addressGuard.js';

type Dispatcher = NonNullable<RequestInit['dispatcher']>;
type AgentClass = new (options: Record<string, unknown>) => Dispatcher;

let agent: Promise<Dispatcher> | undefined;

/**
 * Kept-alive connections for calls that may think for longer than the 300 s at which Node's own `fetch` gives
 * up; the caller's deadline bounds them. Each connection is made only to an address that may be called. Throws
 * AddressBlocked where this Node does not show its agent, since addresses could not be checked.
 */
export function keepAliveAgent(): Promise<Dispatcher> {
  agent ??= createAgent();
  return agent;
}

/** Node has the class of its agent only behind the object that `fetch` sets up at its first use. */
async function createAgent(): Promise<Dispatcher> {
  await fetch('data:,');
  // The global object of the process, also where code runs in a context of its own.
  const global: object = runInThisContext('globalThis');
  const current: unknown = Reflect.get(global, Symbol.for('undici.globalDispatcher.1'));
  if (typeof current !== 'object' || current === null || current.constructor.name !== 'Agent') {
    throw new AddressBlocked('This version of Node does not let the addresses of connections be checked.');
  }
  const Agent = current.constructor as AgentClass;
  const connect = { timeout: 15_000, lookup: guardedLookup };
  return new Agent({ headersTimeout: 0, bodyTimeout: 0, connect, keepAliveTimeout: 4_000 });
}
