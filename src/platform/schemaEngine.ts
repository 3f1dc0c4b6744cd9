import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
// The package's main file imports the .wasm as a module, which Node does only behind a flag: bind it by hand.
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;
export type SchemaEngine = bindings.SchemaEngine;
export type MigrationList = bindings.MigrationList;

/** Postgres' internal "char", which introspection reads from the catalogue and the adapter does not know. */
const CHAR_OID = 18;
const TEXT_OID = 25;
/** ColumnTypeEnum.Character; mapped to Text, the engine panics. */
const CHARACTER_COLUMN = 6;

/** Schema, migrations and roles. */
export const PRISMA_FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'prisma');

/** The Prisma schema as the engine wants it. */
export async function schemaFiles(): Promise<bindings.SchemasContainer> {
  const file = path.join(PRISMA_FOLDER, 'schema.prisma');
  return { files: [{ path: file, content: await readFile(file, 'utf8') }] };
}

/** The folders under prisma/migrations, in order of their names. */
export async function migrationList(): Promise<MigrationList> {
  const baseDir = path.join(PRISMA_FOLDER, 'migrations');
  const entries = await readdir(baseDir, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const migrationDirectories = await Promise.all(
    names.sort().map(async (name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: await readFile(path.join(baseDir, name, 'migration.sql'), 'utf8') },
      },
    })),
  );
  const lockfile = { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' };
  return { baseDir, lockfile, shadowDbInitScript: '', migrationDirectories };
}

/**
 * Runs `use` with Prisma's schema engine, connected to `databaseUrl`. It is the official engine as
 * WebAssembly: the native one would be downloaded at install time from outside the npm registry.
 * The connection is closed before returning, which frees the engine's advisory lock.
 */
export async function withSchemaEngine<T>(databaseUrl: string, use: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const factory = new MigrationAdapterFactory(databaseUrl);
  try {
    await instantiate();
    const engine = await bindings.SchemaEngine.new(
      { datamodels: (await schemaFiles()).files.map((file) => [file.path, file.content]) },
      () => {},
      bindMigrationAwareSqlAdapterFactory(factory),
    );
    return await use(engine);
  } finally {
    await factory.close();
  }
}

/** Declared here because TypeScript has it only with the browser's library. */
interface WebAssemblyApi {
  instantiate(
    code: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, unknown> & { __wbindgen_start(): void } } }>;
}

let started: Promise<void> | undefined;

function instantiate(): Promise<void> {
  started ??= (async () => {
    // Without this registry a panic of the engine surfaces as a TypeError that says nothing.
    Object.assign(globalThis, {
      PRISMA_WASM_PANIC_REGISTRY: {
        set_message(message: string) {
          throw new Error(`Prisma schema engine: ${message}`);
        },
      },
    });
    const file = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
    const wasm = await readFile(path.join(path.dirname(file), 'schema_engine_bg.wasm'));
    const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyApi };
    const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': bindings });
    bindings.__wbg_set_wasm(instance.exports);
    instance.exports.__wbindgen_start();
  })();
  return started;
}

/**
 * The stock adapter splits scripts at semicolons and cannot read the catalogue. No shadow database is
 * ever needed: drift is read from a database to which the migrations have been applied.
 */
class MigrationAdapterFactory extends PrismaPg {
  readonly #config: pg.PoolConfig;
  readonly #pools: pg.Pool[] = [];

  constructor(databaseUrl: string) {
    super(databaseUrl);
    this.#config = { connectionString: databaseUrl, max: 1 };
  }

  override async connect(): Promise<Adapter> {
    const pool = new pg.Pool(this.#config);
    pool.on('error', () => {});
    this.#pools.push(pool);
    return patched(await new PrismaPg(pool).connect(), pool);
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.filter((pool) => !pool.ended).map((pool) => pool.end()));
  }
}

/** Makes the adapter run a script whole (plpgsql bodies hold semicolons) and read "char" columns. */
function patched(adapter: Adapter, pool: pg.Pool): Adapter {
  const charColumns = new WeakMap<object, number[]>();
  const query = pool.query.bind(pool) as (config: unknown) => Promise<pg.QueryArrayResult>;
  pool.query = (async (config: unknown) => {
    const result = await query(config);
    const columns = (result.fields ?? []).flatMap((field, index) => (field.dataTypeID === CHAR_OID ? [index] : []));
    for (const index of columns) (result.fields[index] as pg.FieldDef).dataTypeID = TEXT_OID;
    if (columns.length > 0) charColumns.set(result.rows, columns);
    return result;
  }) as typeof pool.query;
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (request) => {
    const result = await queryRaw(request);
    for (const index of charColumns.get(result.rows) ?? []) result.columnTypes[index] = CHARACTER_COLUMN;
    return result;
  };
  adapter.executeScript = async (script) => {
    await pool.query(script);
  };
  return adapter;
}
