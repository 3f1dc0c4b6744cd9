import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, UsageError } from './cliError.js';

/** Where the service is and how to get in. */
export interface Settings {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiKey: string;
}

export const DEFAULT_URL = 'http://127.0.0.1:4000';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Takes the URL and key from the options, else from ASSAY_URL and ASSAY_API_KEY, else the key file that the
 * service writes at its first start. Throws a CliError that says how to get a key when there is none.
 */
export function readSettings(options: { url?: string; apiKey?: string }, env: Environment): Settings {
  const url = parseUrl(options.url || env.ASSAY_URL || DEFAULT_URL);
  const apiKey = options.apiKey || env.ASSAY_API_KEY || keyFromFile(url, env);
  return { url: url.href.replace(/\/+$/, ''), apiKey };
}

/** Path of the key file of a data folder. */
export function keyFile(dataDir: string): string {
  return join(dataDir, 'admin.key');
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`Not a URL of a service: ${text}. Example: ${DEFAULT_URL}`);
  }
  url.pathname = url.pathname.replace(/\/graphql\/?$/, '/');
  return url;
}

/** An admin key of this machine must not travel to another one because of a --url, so only for loopback. */
function keyFromFile(url: URL, env: Environment): string {
  const file = keyFile(env.ASSAY_DATA_DIR || '.assay');
  const local = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (!local) {
    throw new CliError(`No API key for ${url.origin}. Set ASSAY_API_KEY to a key of your team.`);
  }
  try {
    const key = readFileSync(file, 'utf8').trim();
    if (key) return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') {
      throw new CliError(`The key file ${file} may not be read by this user. Set ASSAY_API_KEY instead.`);
    }
  }
  throw new CliError(
    `No API key. Set ASSAY_API_KEY, or start the service here with "npm start", which writes ${file} at its first start.`,
  );
}
