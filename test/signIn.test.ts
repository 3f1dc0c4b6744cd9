import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import WebSocket from 'ws';
import { parseConfig } from '../src/config.js';
import { claimOf, roleOf } from '../src/tenancy/signIn.js';
import { Assay, type Team } from './support/assay.js';

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

const AUDIENCE = 'assay-of-the-tests';

describe('signing in with OpenID Connect', () => {
  let provider: Server;
  let issuer: string;
  let assay: Assay;
  let team: Team;
  let keys: Keys;
  let down = false;

  beforeAll(async () => {
    keys = await generateKeyPair('RS256');
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
    provider = createServer((request, response) => {
      if (down) {
        response.writeHead(502).end();
        return;
      }
      const body =
        request.url === '/.well-known/openid-configuration' ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: [jwk] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const config = parseConfig({
      ASSAY_OIDC_ISSUER: issuer,
      ASSAY_OIDC_AUDIENCE: AUDIENCE,
      ASSAY_OIDC_TEAM_CLAIM: 'tenant',
      ASSAY_OIDC_ROLE_CLAIM: 'realm_access.roles',
      ASSAY_OIDC_ROLES: 'eval-readers=VIEWER, eval-runners=RUNNER, eval-admins=ADMIN',
    });
    assay = await Assay.start({ workers: false, signIn: config.signIn as NonNullable<typeof config.signIn> });
    team = await assay.team('people');
  });
  afterAll(async () => {
    await assay.close();
    provider.close();
  });

  interface Changes {
    claims?: JWTPayload;
    audience?: string;
    issuer?: string;
    expires?: string | number;
    kid?: string;
    key?: Keys['privateKey'] | Uint8Array;
    alg?: string;
  }

  const token = (changes: Changes = {}) => {
    const claims = { tenant: 'people', realm_access: { roles: ['offline', 'eval-readers', 'eval-runners'] } };
    return new SignJWT({ email: 'person@example.org', ...claims, ...changes.claims })
      .setProtectedHeader({ alg: changes.alg ?? 'RS256', kid: changes.kid ?? 'k1' })
      .setSubject('user-1')
      .setIssuedAt()
      .setIssuer(changes.issuer ?? issuer)
      .setAudience(changes.audience ?? AUDIENCE)
      .setExpirationTime(changes.expires ?? '5m')
      .sign(changes.key ?? keys.privateKey);
  };
  const viewer = (secret: string) => assay.graphql('{ viewer { role keyName team { name } expiresAt } }', {}, secret);

  it('takes team and role from the token, the highest of several', async () => {
    const { data } = await viewer(await token());
    expect(data?.viewer).toMatchObject({ role: 'RUNNER', keyName: 'person@example.org', team: { name: 'people' } });
    expect(Date.parse(data?.viewer.expiresAt) - Date.now()).toBeLessThan(301_000);
  });

  it('stands beside keys', async () => {
    expect((await viewer(team.key)).data?.viewer).toMatchObject({ role: 'ADMIN', keyName: 'admin' });
  });

  it('lets a person who is an admin make keys that outlive the sign-in', async () => {
    const admin = await token({ claims: { realm_access: { roles: ['eval-admins'] } } });
    const made = await assay.graphql(
      'mutation { createApiKey(input: { name: "ci", role: RUNNER }) { secret apiKey { expiresAt } } }',
      {},
      admin,
    );
    expect(made.data?.createApiKey).toMatchObject({
      secret: expect.stringMatching(/^assay_/),
      apiKey: { expiresAt: null },
    });
  });

  it.each<[string, () => Promise<string>]>([
    ['has expired', () => token({ expires: Math.floor(Date.now() / 1000) - 60 })],
    ['is meant for another audience', () => token({ audience: 'another-service' })],
    ['is of another issuer', () => token({ issuer: 'https://elsewhere.example' })],
    ['is signed with another key', async () => token({ key: (await generateKeyPair('RS256')).privateKey })],
    ['names an unknown key', () => token({ kid: 'k2' })],
    [
      'is signed with the public key as a shared secret',
      async () => token({ alg: 'HS256', key: Buffer.from(JSON.stringify(await exportJWK(keys.publicKey))) }),
    ],
    [
      'is not signed',
      async () =>
        new UnsecuredJWT({ tenant: 'people', realm_access: { roles: ['eval-admins'] } })
          .setSubject('u')
          .setIssuer(issuer)
          .setAudience(AUDIENCE)
          .setExpirationTime('5m')
          .encode(),
    ],
    ['names a team that does not exist', () => token({ claims: { tenant: 'nobody' } })],
    ['names no team', () => token({ claims: { tenant: null } })],
    ['names several teams', () => token({ claims: { tenant: ['people', 'others'] } })],
    ['names no known role', () => token({ claims: { realm_access: { roles: ['admin', 'ADMIN'] } } })],
    ['is nonsense', async () => 'a.b.c'],
  ])('refuses a token that %s, without saying why', async (_what, make) => {
    const { data, errors } = await viewer(await make());
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(errors?.[0]?.message).toBe('A valid API key is needed: Authorization: Bearer assay_…');
  });

  const codeOf = (secret: string, service = assay) =>
    new Promise<number>((resolve) => {
      createClient({
        url: `${service.server.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${secret}` },
        retryAttempts: 0,
        lazy: false,
        onNonLazyError: () => {},
        on: { closed: (event) => resolve((event as CloseEvent).code) },
      });
    });

  it('does not take a provider that is down for a bad token: try again, and keys go on working', async () => {
    const signIn = parseConfig({ ASSAY_OIDC_ISSUER: issuer, ASSAY_OIDC_AUDIENCE: AUDIENCE }).signIn;
    const fresh = await Assay.start({ workers: false, signIn: signIn as NonNullable<typeof signIn> });
    try {
      const [secret, { key }] = [await token(), await fresh.team()];
      down = true;
      const refused = await fresh.graphql('{ viewer { role } }', {}, secret);
      expect(refused).toMatchObject({ status: 503, data: null, errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
      expect(refused.errors?.[0]?.message).toContain('try again in a moment');
      const headers = { authorization: `Bearer ${secret}` };
      expect((await fetch(`${fresh.server.url}/runs/export?format=csv`, { headers })).status).toBe(503);
      expect(await codeOf(secret, fresh)).toBe(1013);
      expect((await fresh.graphql('{ viewer { role } }', {}, key)).data?.viewer.role).toBe('ADMIN');
      // Whoever has fetched the provider's keys before goes on without it.
      expect((await viewer(secret)).data?.viewer.role).toBe('RUNNER');
    } finally {
      down = false;
      await fresh.close();
    }
  });

  it('closes the socket with 4401 when the token expires, and 4403 for one that is not good', async () => {
    expect(await codeOf(await token({ audience: 'another-service' }))).toBe(4403);
    expect(await codeOf(await token({ expires: Math.floor(Date.now() / 1000) + 2 }))).toBe(4401);
  });
});

describe('claims', () => {
  it('are found by name, by path and by a name with dots', () => {
    expect(claimOf({ team: 'a' }, 'team')).toBe('a');
    expect(claimOf({ resource: { assay: { team: 'a' } } }, 'resource.assay.team')).toBe('a');
    expect(claimOf({ 'https://example.org/team': 'a' }, 'https://example.org/team')).toBe('a');
    expect(claimOf({ team: 'a' }, 'constructor.name')).toBeUndefined();
  });

  it('give the highest role named, and none for what is not in the table', () => {
    const roles = { r: 'VIEWER', a: 'ADMIN' } as const;
    expect(roleOf(['r', 'x', 'a'], roles)).toBe('ADMIN');
    expect(roleOf('r', roles)).toBe('VIEWER');
    for (const claim of [undefined, null, 7, [], ['toString'], 'ADMIN']) expect(roleOf(claim, roles)).toBeNull();
  });
});

describe('the settings of signing in', () => {
  it.each([
    [{ ASSAY_OIDC_ISSUER: 'https://id.example' }, /ASSAY_OIDC_AUDIENCE/],
    [{ ASSAY_OIDC_ISSUER: 'http://id.example', ASSAY_OIDC_AUDIENCE: 'a' }, /ASSAY_OIDC_ISSUER: must be https/],
    [{ ASSAY_OIDC_ROLES: 'staff=BOSS' }, /ASSAY_OIDC_ROLES/],
  ])('refuses %j', (env, message) => {
    expect(() => parseConfig(env)).toThrow(message);
  });

  it('has readable defaults', () => {
    const { signIn } = parseConfig({ ASSAY_OIDC_ISSUER: 'https://id.example', ASSAY_OIDC_AUDIENCE: 'assay' });
    expect(signIn).toEqual({
      issuer: 'https://id.example',
      audience: 'assay',
      jwksUrl: null,
      teamClaim: 'assay_team',
      roleClaim: 'assay_role',
      roles: { VIEWER: 'VIEWER', RUNNER: 'RUNNER', ADMIN: 'ADMIN' },
    });
  });
});
