import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { judgeAddress, judgeHost } from './addressPolicy.js';

let privateAllowed = true;

/**
 * Whether this process may call providers at private addresses. Set once, from the configuration, when the process
 * opens its services. Link-local addresses and those of cloud metadata are refused in any case.
 */
export function allowPrivateAddresses(allowed: boolean): void {
  privateAllowed = allowed;
}

/** Its name is what classifyTransport goes by. */
export class AddressBlocked extends Error {
  override readonly name = 'address_blocked';
}

/** Why an URL's host is refused before any name is resolved, as a sentence; null: not yet. */
export function refusalOf(url: URL): string | null {
  return sentence(judgeHost(url));
}

function sentence(verdict: ReturnType<typeof judgeHost>): string | null {
  if (verdict === 'forbidden') return 'This address is never called: it is link-local or hands out credentials.';
  if (verdict !== 'private' || privateAllowed) return null;
  return 'This address is private; ASSAY_ALLOW_PRIVATE_ADDRESSES=true allows those.';
}

type Callback = (error: Error | null, address?: string | LookupAddress[], family?: number) => void;
type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, found: LookupAddress[]) => void,
) => void;

/**
 * Resolves a name for one connection and passes on only addresses that may be called, so that what is checked is what
 * is connected to, whatever the name led to before. Takes the place of `dns.lookup`.
 *
 * @param resolve for tests
 */
export function guardedLookup(host: string, options: LookupOptions, done: Callback, resolve: Resolve = lookup): void {
  resolve(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error);
    const allowed = found.filter(({ address }) => sentence(judgeAddress(address)) === null);
    const [first] = allowed;
    if (first === undefined) {
      const reasons = found.map(({ address }) => sentence(judgeAddress(address)));
      return done(new AddressBlocked(reasons[0] ?? 'The name leads to no address.'));
    }
    if (options.all) done(null, allowed);
    else done(null, first.address, first.family);
  });
}
