import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ConfigurationError } from './errors.js';
import { PUBLISHED_AT } from './healthbench/officialFiles.js';
import { judgeHost } from './platform/outbound/addressPolicy.js';
import type { SignInConfig } from './tenancy/signIn.js';

const optionalText = z.string().trim().min(1).optional();
const integer = (low: number, high: number, standard: number) =>
  z.coerce.number().int().min(low).max(high).default(standard);
const flag = z.enum(['true', 'false', '1', '0']);
const isOn = (value: z.infer<typeof flag>): boolean => value === 'true' || value === '1';

/** Plain http only to this machine: whoever can change the answer could sign in as anybody. */
const httpsUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => /^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(`${text}/`), 'must be https');
/** A folder: the names of files are put behind it. */
const fileFolder = httpsUrl
  .refine((text) => !/[?#]|:\/\/[^/]*@/.test(text), 'must be a folder, without a query and without a name or password')
  .transform((text) => (text.endsWith('/') ? text : `${text}/`));
const publicUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !/[?#]|:\/\/[^/]*@/.test(text), 'must have no query and no name or password')
  .transform((text) => text.replace(/\/+$/, ''));
const roleNames = z
  .string()
  .regex(
    /^\s*[^=,]+=(VIEWER|RUNNER|ADMIN)\s*(,\s*[^=,]+=(VIEWER|RUNNER|ADMIN)\s*)*$/,
    'must be like staff=RUNNER,boss=ADMIN',
  )
  .transform((text) => Object.fromEntries(text.split(',').map((pair) => pair.split('=').map((part) => part.trim()))));

const secretKey = z.base64().refine((text) => Buffer.from(text, 'base64').length === 32, 'must be 32 bytes in base64');
const origin = z
  .string()
  .refine((text) => URL.parse(text)?.origin === text, 'must be an origin such as https://eval.example.org');
/** Separated by commas; none by default. */
const listOf = (item: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item))
    .default([]);

const variables = z.object({
  PORT: integer(0, 65_535, 4000),
  HOST: z.string().trim().min(1).default('127.0.0.1'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_POOL: integer(2, 200, 20),
  ASSAY_DATA_DIR: z.string().trim().min(1).default('.assay'),
  ASSAY_ROLE: z.enum(['all', 'server', 'worker']).default('all'),
  ASSAY_BOOTSTRAP_KEY: z.string().trim().min(20, 'needs at least 20 characters').optional(),
  ASSAY_OPERATOR_TOKEN: z.string().trim().min(20, 'needs at least 20 characters').optional(),
  ASSAY_OIDC_ISSUER: httpsUrl.optional(),
  ASSAY_OIDC_AUDIENCE: optionalText,
  ASSAY_OIDC_JWKS_URL: httpsUrl.optional(),
  ASSAY_OIDC_TEAM_CLAIM: z.string().trim().min(1).default('assay_team'),
  ASSAY_OIDC_ROLE_CLAIM: z.string().trim().min(1).default('assay_role'),
  ASSAY_OIDC_ROLES: roleNames.default({ VIEWER: 'VIEWER', RUNNER: 'RUNNER', ADMIN: 'ADMIN' }),
  ASSAY_SECRET_KEY: secretKey.optional(),
  ASSAY_PREVIOUS_SECRET_KEYS: listOf(secretKey),
  ASSAY_ALLOW_PRIVATE_ADDRESSES: flag.optional(),
  ASSAY_CORS_ORIGINS: listOf(origin),
  ASSAY_INTROSPECTION: flag.default('true'),
  ASSAY_MAX_QUERY_COST: integer(100, 10_000_000, 20_000),
  ASSAY_READS_PER_MINUTE: integer(0, 10_000_000, 30_000),
  ASSAY_STARTS_PER_MINUTE: integer(0, 1_000_000, 600),
  ASSAY_MAX_SOCKETS_PER_KEY: integer(1, 100_000, 2_000),
  ASSAY_MAX_SUBSCRIPTIONS_PER_KEY: integer(1, 100_000, 2_000),
  NODE_ENV: z.string().optional(),
  ASSAY_SIMULATED: flag.default('false'),
  ASSAY_MIGRATE: flag.default('true'),
  ASSAY_MAX_IMPORT_MB: integer(1, 10_000, 512),
  ASSAY_PUBLIC_URL: publicUrl.optional(),
  ASSAY_HEALTHBENCH_URL: fileFolder.default(PUBLISHED_AT),
  ASSAY_DRAIN_SECONDS: integer(0, 600, 25),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  API_KEY: optionalText,
  MODEL_TEST: optionalText,
  MODEL_GRADER: optionalText,
  MAX_CONCURRENCY: integer(1, 1000, 16),
});

/** Every variable that the service reads. */
export const settingNames: readonly string[] = Object.keys(variables.shape);

/** The provider that becomes the first model endpoint of team `default`. */
export interface ProviderConfig {
  baseUrl: string;
  apiKey: string | null;
  defaultModel: string | null;
  defaultGrader: string | null;
  maxConcurrency: number;
  simulated: boolean;
}

export interface Config {
  port: number;
  host: string;
  /** Null: the embedded Postgres in `dataDir`. */
  databaseUrl: string | null;
  databasePool: number;
  /** Bring the database to the newest schema at the start; false where `migrate` has done it before. */
  migrate: boolean;
  /** Absolute path. */
  dataDir: string;
  role: 'all' | 'server' | 'worker';
  bootstrapKey: string | null;
  operatorToken: string | null;
  /** Null: people use keys, too. */
  signIn: SignInConfig | null;
  /** 32 bytes, base64. */
  secretKey: string | null;
  /** They only open what they sealed. */
  previousSecretKeys: string[];
  /** Whether providers may be at private addresses. */
  allowPrivateAddresses: boolean;
  corsOrigins: string[];
  introspection: boolean;
  /** Whether errors name what of the schema was perhaps meant. */
  hints: boolean;
  queryLimits: { maxCost: number };
  /** Per key and minute; 0: no limit. */
  rateLimits: { reads: number; starts: number };
  /** Per key, in this process. */
  socketLimits: { socketsPerKey: number; subscriptionsPerKey: number };
  drainMs: number;
  /** Of an imported file. */
  maxImportBytes: number;
  /** Where the service is reached from outside, without a slash at the end: for links. Null: no links. */
  publicUrl: string | null;
  /** The folder of the official HealthBench files. */
  healthbenchUrl: string;
  logLevel: string;
  provider: ProviderConfig | null;
}

/**
 * Reads the environment (and `.env`, which the environment overrides). The only reader of process.env
 * in the service. Throws ConfigurationError that names every mistake at once.
 *
 * @param fixed what the process decides itself
 */
export function readConfig(fixed: { ASSAY_ROLE?: 'worker' } = {}): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return parseConfig({ ...process.env, ...fixed });
}

/** The pure part of readConfig. An empty variable counts as absent. */
export function parseConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    const mistakes = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigurationError(`The settings are wrong (see .env.example):\n${mistakes.join('\n')}`);
  }
  const v = parsed.data;
  if (v.BASE_URL === undefined && (v.MODEL_TEST ?? v.MODEL_GRADER) !== undefined) {
    throw new ConfigurationError(
      'The settings are wrong (see .env.example):\n  BASE_URL: needed with MODEL_TEST or MODEL_GRADER',
    );
  }
  refuseAddress('BASE_URL', v.BASE_URL, v);
  refuseAddress('ASSAY_HEALTHBENCH_URL', v.ASSAY_HEALTHBENCH_URL, v);
  return {
    port: v.PORT,
    host: v.HOST,
    databaseUrl: v.DATABASE_URL ?? null,
    databasePool: v.DATABASE_POOL,
    migrate: isOn(v.ASSAY_MIGRATE),
    dataDir: path.resolve(v.ASSAY_DATA_DIR),
    role: v.ASSAY_ROLE,
    bootstrapKey: v.ASSAY_BOOTSTRAP_KEY ?? null,
    operatorToken: v.ASSAY_OPERATOR_TOKEN ?? null,
    signIn: signInOf(v),
    secretKey: v.ASSAY_SECRET_KEY ?? null,
    previousSecretKeys: v.ASSAY_PREVIOUS_SECRET_KEYS,
    allowPrivateAddresses: privateAllowed(v),
    ...protectionOf(v),
    drainMs: v.ASSAY_DRAIN_SECONDS * 1000,
    maxImportBytes: v.ASSAY_MAX_IMPORT_MB * 2 ** 20,
    publicUrl: v.ASSAY_PUBLIC_URL ?? null,
    healthbenchUrl: v.ASSAY_HEALTHBENCH_URL,
    logLevel: v.LOG_LEVEL,
    provider: v.BASE_URL === undefined ? null : providerOf({ ...v, BASE_URL: v.BASE_URL }),
  };
}

type Variables = z.infer<typeof variables>;

/**
 * Whoever reaches a service on a loopback address is on this machine already. A worker listens nowhere, so it says
 * nothing about who can make it call.
 */
function privateAllowed(v: Variables): boolean {
  if (v.ASSAY_ALLOW_PRIVATE_ADDRESSES !== undefined) return isOn(v.ASSAY_ALLOW_PRIVATE_ADDRESSES);
  return v.ASSAY_ROLE !== 'worker' && /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(v.HOST);
}

/** Said at the start and not when the first run pauses. */
function refuseAddress(name: string, url: string | undefined, v: Variables): void {
  const verdict = url === undefined ? null : judgeHost(new URL(url));
  if (verdict === null || (verdict === 'private' && privateAllowed(v))) return;
  const why = verdict === 'private' ? 'a private address: set ASSAY_ALLOW_PRIVATE_ADDRESSES=true' : 'never called';
  throw new ConfigurationError(`The settings are wrong (see .env.example):\n  ${name}: ${why}`);
}

function protectionOf(v: Variables) {
  const introspection = isOn(v.ASSAY_INTROSPECTION);
  return {
    corsOrigins: v.ASSAY_CORS_ORIGINS,
    introspection,
    hints: introspection && v.NODE_ENV !== 'production',
    queryLimits: { maxCost: v.ASSAY_MAX_QUERY_COST },
    rateLimits: { reads: v.ASSAY_READS_PER_MINUTE, starts: v.ASSAY_STARTS_PER_MINUTE },
    socketLimits: {
      socketsPerKey: v.ASSAY_MAX_SOCKETS_PER_KEY,
      subscriptionsPerKey: v.ASSAY_MAX_SUBSCRIPTIONS_PER_KEY,
    },
  };
}

function signInOf(v: Variables): SignInConfig | null {
  if (v.ASSAY_OIDC_ISSUER === undefined) return null;
  if (v.ASSAY_OIDC_AUDIENCE === undefined) {
    throw new ConfigurationError(
      'The settings are wrong (see .env.example):\n  ASSAY_OIDC_AUDIENCE: needed with ASSAY_OIDC_ISSUER',
    );
  }
  return {
    issuer: v.ASSAY_OIDC_ISSUER,
    audience: v.ASSAY_OIDC_AUDIENCE,
    jwksUrl: v.ASSAY_OIDC_JWKS_URL ?? null,
    teamClaim: v.ASSAY_OIDC_TEAM_CLAIM,
    roleClaim: v.ASSAY_OIDC_ROLE_CLAIM,
    roles: v.ASSAY_OIDC_ROLES as SignInConfig['roles'],
  };
}

function providerOf(v: Variables & { BASE_URL: string }): ProviderConfig {
  return {
    baseUrl: v.BASE_URL,
    apiKey: v.API_KEY ?? null,
    defaultModel: v.MODEL_TEST ?? null,
    defaultGrader: v.MODEL_GRADER ?? null,
    maxConcurrency: v.MAX_CONCURRENCY,
    simulated: isOn(v.ASSAY_SIMULATED),
  };
}
