import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Log } from '../platform/log.js';
import type { WakeUps } from '../platform/wakeUps.js';
import type { Authenticator } from './authenticator.js';
import { CredentialWatch } from './credentialWatch.js';
import type { Actor } from './requestContext.js';

const DAY_MS = 24 * 60 * 60_000;
const HEADER = 'Bearer something';

describe('an answer that stays open until its credential expires', () => {
  let stored: Actor | null;
  let wake: () => void;
  let closed: number[];
  let watch: CredentialWatch;

  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    closed = [];
    const wakeUps = {
      on: (_key: string, call: () => void) => {
        wake = call;
        return () => {};
      },
    };
    watch = new CredentialWatch(
      { actorOf: async () => stored } as unknown as Authenticator,
      wakeUps as unknown as WakeUps,
      {} as Log,
    );
  });
  afterEach(() => {
    watch.close();
    jest.useRealTimers();
  });

  function open(keyId: string | null, expiresInMs: number): void {
    stored = { role: 'VIEWER', teamId: 'team', keyId, keyName: 'name', expiresAt: new Date(Date.now() + expiresInMs) };
    watch.join(HEADER, stored, { close: (code) => closed.push(code) });
  }

  it.each([25, 50])('of a token is closed when its %d days are over, to the millisecond, and not before', (days) => {
    open(null, days * DAY_MS);
    jest.advanceTimersByTime(days * DAY_MS - 1);
    expect(closed).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(closed).toEqual([4401]);
  });

  it('of a key is asked for until the clock of the database has come as far', async () => {
    open('key', 1_000);
    await jest.advanceTimersByTimeAsync(1_400);
    expect(closed).toEqual([]);
    stored = null;
    await jest.advanceTimersByTimeAsync(250);
    expect(closed).toEqual([4401]);
  });

  it('of a key goes on when it gets more time, and ends earlier when it gets less', async () => {
    open('key', 60_000);
    const endingAt = (ms: number) => {
      stored = { ...(stored as Actor), expiresAt: new Date(ms) };
      wake();
    };
    endingAt(90_000);
    await jest.advanceTimersByTimeAsync(61_000);
    endingAt(62_000);
    await jest.advanceTimersByTimeAsync(999);
    stored = null;
    expect(closed).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(closed).toEqual([4401]);
  });
});
