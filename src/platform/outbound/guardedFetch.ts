import { AddressBlocked, refusalOf } from './addressGuard.js';
import { keepAliveAgent } from './keepAlive.js';

/**
 * `fetch` to an address that somebody has given us: only to one that may be called, checked again when it is connected
 * to, and never on to where a redirect leads. Throws AddressBlocked, and what the transport throws (see transportOf).
 */
export async function guardedFetch(url: URL, init: RequestInit = {}): Promise<Response> {
  // An address in the URL itself is connected to without a lookup.
  const refusal = refusalOf(url);
  if (refusal !== null) throw new AddressBlocked(`${url.host}: ${refusal}`);
  return fetch(url, { ...init, redirect: 'manual', dispatcher: await keepAliveAgent() });
}
