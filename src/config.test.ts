import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseConfig, settingNames } from './config.js';

const key = Buffer.alloc(32, 7).toString('base64');

describe('the settings of protection', () => {
  it.each([
    [{}, true],
    [{ HOST: 'localhost' }, true],
    [{ HOST: '::1' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '::' }, false],
    [{ HOST: '10.0.0.5' }, false],
    [{ ASSAY_ROLE: 'worker' }, false],
    [{ ASSAY_ROLE: 'worker', ASSAY_ALLOW_PRIVATE_ADDRESSES: 'true' }, true],
    [{ ASSAY_ALLOW_PRIVATE_ADDRESSES: 'false' }, false],
  ])('with %j private addresses of providers are allowed: %p', (env, allowed) => {
    expect(parseConfig(env).allowPrivateAddresses).toBe(allowed);
  });

  it('refuses at the start a provider that could not be called later', () => {
    expect(() => parseConfig({ HOST: '0.0.0.0', BASE_URL: 'http://192.168.1.5:8000/v1' })).toThrow(
      /BASE_URL: a private address: set ASSAY_ALLOW_PRIVATE_ADDRESSES/,
    );
    expect(() => parseConfig({ BASE_URL: 'http://169.254.169.254/v1' })).toThrow(/BASE_URL: never called/);
    expect(parseConfig({ BASE_URL: 'http://127.0.0.1:8000/v1' }).provider?.baseUrl).toBe('http://127.0.0.1:8000/v1');
  });

  it('fetches the official files from their publisher, or from a mirror that nobody can change on the way', () => {
    expect(parseConfig({}).healthbenchUrl).toMatch(/^https:\/\/openaipublic\..*\/healthbench\/$/);
    const mirror = (url: string) => parseConfig({ ASSAY_HEALTHBENCH_URL: url }).healthbenchUrl;
    expect(mirror('https://files.example.org/hb')).toBe('https://files.example.org/hb/');
    expect(mirror('http://localhost:8080/hb/')).toBe('http://localhost:8080/hb/');
    expect(() => mirror('http://files.example.org/hb')).toThrow(/ASSAY_HEALTHBENCH_URL: must be https/);
    for (const url of ['https://files.example.org/hb?key=x', 'https://me:word@files.example.org/hb']) {
      expect(() => mirror(url)).toThrow(/must be a folder/);
    }
    expect(() => mirror('https://169.254.169.254/hb')).toThrow(/ASSAY_HEALTHBENCH_URL: never called/);
    expect(() => parseConfig({ HOST: '0.0.0.0', ASSAY_HEALTHBENCH_URL: 'https://10.0.0.7/hb' })).toThrow(
      /ASSAY_HEALTHBENCH_URL: a private address/,
    );
  });

  it('is closed to browsers, shows the schema to those with a key, and limits every key by default', () => {
    expect(parseConfig({})).toMatchObject({
      corsOrigins: [],
      introspection: true,
      hints: true,
      queryLimits: { maxCost: 20_000 },
      rateLimits: { reads: 30_000, starts: 600 },
      socketLimits: { socketsPerKey: 2_000, subscriptionsPerKey: 2_000 },
    });
  });

  it.each([{ NODE_ENV: 'production' }, { ASSAY_INTROSPECTION: 'false' }])('gives no hints with %j', (env) => {
    expect(parseConfig(env).hints).toBe(false);
  });

  it('takes lists, and names what is wrong in them', () => {
    const { corsOrigins, previousSecretKeys } = parseConfig({
      ASSAY_CORS_ORIGINS: 'https://a.example, http://localhost:3000',
      ASSAY_PREVIOUS_SECRET_KEYS: `${key},${key}`,
    });
    expect(corsOrigins).toEqual(['https://a.example', 'http://localhost:3000']);
    expect(previousSecretKeys).toEqual([key, key]);
    const wrong = { ASSAY_CORS_ORIGINS: '*', ASSAY_PREVIOUS_SECRET_KEYS: 'short' };
    expect(() => parseConfig(wrong)).toThrow(/ASSAY_PREVIOUS_SECRET_KEYS[\s\S]*ASSAY_CORS_ORIGINS/);
  });
});

describe('.env.example', () => {
  const example = readFileSync('.env.example', 'utf8');
  const named = [...example.matchAll(/^(?:# )?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name);

  it('names every setting', () => {
    expect(settingNames.filter((name) => name !== 'NODE_ENV' && !named.includes(name))).toEqual([]);
  });

  it('names what the compose file takes from it, and that passes on what the service reads', () => {
    const compose = readFileSync('docker/compose.yaml', 'utf8');
    const taken = [...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    expect(taken.filter((name) => !named.includes(name))).toEqual([]);
    const passed = [...compose.matchAll(/^ {2,6}([A-Z_]+): /gm)].map(([, name]) => name as string);
    // The image's own, what compose decides by itself, and what the command line reads.
    const elsewhere = ['NODE_ENV', 'HOST', 'PORT', 'ASSAY_DATA_DIR', 'ASSAY_MIGRATE'];
    expect(settingNames.filter((name) => !passed.includes(name) && !elsewhere.includes(name))).toEqual([]);
  });
});
