import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';

export type TokenClaims = JWTPayload & { exp: number };

export interface TokenRules {
  /** Exactly as in the token. */
  issuer: string;
  audience: string;
  /** Null: asked of the issuer's /.well-known/openid-configuration. */
  jwksUrl: string | null;
}

/** Only signatures that the issuer alone can make: no `none`, and no shared secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const CLOCK_SKEW_SECONDS = 5;
const TIMEOUT_MS = 5_000;

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** Checks signed tokens of one OpenID Connect provider. Its keys are fetched when needed, and cached. */
export class TokenVerifier {
  #keys: Promise<JWTVerifyGetKey> | null = null;

  constructor(private readonly rules: TokenRules) {}

  /**
   * The claims of a token that is signed by the issuer, meant for the audience and not expired; null for any other.
   * Throws when the provider's keys cannot be had.
   */
  async verify(token: string): Promise<TokenClaims | null> {
    const { issuer, audience } = this.rules;
    try {
      const { payload } = await jwtVerify(token, await this.#keySource(), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_SKEW_SECONDS,
        requiredClaims: ['exp', 'sub'],
      });
      return payload as TokenClaims;
    } catch (error) {
      if (error instanceof errors.JOSEError && !providerFault(error)) return null;
      throw error;
    }
  }

  #keySource(): Promise<JWTVerifyGetKey> {
    this.#keys ??= this.#findKeys().catch((error) => {
      this.#keys = null; // Asked again with the next token.
      throw error;
    });
    return this.#keys;
  }

  async #findKeys(): Promise<JWTVerifyGetKey> {
    const url = this.rules.jwksUrl ?? (await this.#discoverJwksUrl());
    return createRemoteJWKSet(new URL(url), { timeoutDuration: TIMEOUT_MS });
  }

  async #discoverJwksUrl(): Promise<string> {
    const url = `${this.rules.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
    if (!response.ok) throw new Error(`${url} answers ${response.status}`);
    const found = discovery.parse(await response.json());
    if (found.issuer !== this.rules.issuer) throw new Error(`${url} names another issuer`);
    return found.jwks_uri;
  }
}

/** The plain error is what jose makes of an answer that is no key set. */
const providerFault = (error: errors.JOSEError): boolean =>
  error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC';
