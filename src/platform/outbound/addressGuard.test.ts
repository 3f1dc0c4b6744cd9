import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { unadapted } from '../chatModel/adaptation.js';
import { callChat } from '../chatModel/callChat.js';
import { allowPrivateAddresses, guardedLookup } from './addressGuard.js';

/** Resolves as a name server would that says `answers`, one after the other. */
function lookupWith(...answers: string[][]) {
  return (all: boolean) =>
    new Promise<{ error: Error | null; found: unknown }>((resolve) => {
      const addresses = answers.shift() ?? [];
      guardedLookup(
        'provider.example',
        { all },
        (error, found) => resolve({ error, found }),
        (_host, _options, done) =>
          done(
            null,
            addresses.map((address) => ({ address, family: 4 })),
          ),
      );
    });
}

afterEach(() => allowPrivateAddresses(true));

describe('resolving a name for a connection', () => {
  it('refuses the second answer of a name that was rebound to a private address', async () => {
    allowPrivateAddresses(false);
    const lookup = lookupWith(['93.184.216.34'], ['127.0.0.1']);
    expect(await lookup(false)).toEqual({ error: null, found: '93.184.216.34' });
    expect((await lookup(false)).error).toMatchObject({ name: 'address_blocked' });
  });

  it('passes on only the addresses that may be called', async () => {
    allowPrivateAddresses(false);
    const lookup = lookupWith(['10.0.0.1', '93.184.216.34', '169.254.169.254']);
    expect(await lookup(true)).toEqual({ error: null, found: [{ address: '93.184.216.34', family: 4 }] });
  });

  it('refuses cloud metadata also where private addresses are allowed', async () => {
    const lookup = lookupWith(['169.254.169.254'], ['192.168.0.7']);
    expect((await lookup(true)).error?.message).toContain('never called');
    expect((await lookup(true)).error).toBeNull();
  });
});

describe('calling a provider', () => {
  let server: Server;
  let calls = 0;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      calls += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const call = (host: string) => {
    const endpoint = { baseUrl: `http://${host}:${(server.address() as AddressInfo).port}/v1`, apiKey: 'secret' };
    const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
    return callChat(endpoint, request, unadapted, { signal: new AbortController().signal, deadlineMs: 5_000 });
  };

  // localhost is resolved, so it is the connection that checks it; the others stand in the URL.
  it.each(['localhost', '127.0.0.1', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'at %s fails without a connection where private addresses are not allowed, and names the setting',
    async (host) => {
      allowPrivateAddresses(false);
      calls = 0;
      const outcome = await call(host);
      expect(outcome).toMatchObject({ kind: 'fail', reason: 'address_blocked', stopsRun: true });
      expect(outcome).toMatchObject({ message: expect.stringContaining('ASSAY_ALLOW_PRIVATE_ADDRESSES') });
      expect(calls).toBe(0);
    },
  );

  it('at localhost works where they are allowed', async () => {
    expect((await call('localhost')).kind).toBe('ok');
  });

  it('at the address of cloud metadata fails in any case', async () => {
    expect(await call('169.254.169.254')).toMatchObject({ kind: 'fail', reason: 'address_blocked' });
  });
});
