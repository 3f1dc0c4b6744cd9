import { ConfigurationError } from '../errors.js';
import { type MigrationList, migrationList, type SchemaEngine, schemaFiles, withSchemaEngine } from './schemaEngine.js';
import { freeOwner } from './serviceRole.js';

const filters = { externalTables: [], externalEnums: [] };

/**
 * Applies what is missing of prisma/migrations to the database; table `_prisma_migrations` as Prisma writes it.
 * Several processes may call it at once. Returns the names of the migrations applied.
 * Throws ConfigurationError when an applied migration was edited or had failed.
 */
export function migrate(databaseUrl: string): Promise<string[]> {
  return withSchemaEngine(databaseUrl, async (engine) => {
    const migrationsList = await migrationList();
    const history = await sound(engine, migrationsList);
    // A migration that changes rows must find them: the policies hold for the owner, too.
    if (history !== null) await freeOwner(databaseUrl);
    return (await engine.applyMigrations({ migrationsList, filters })).appliedMigrationNames;
  });
}

/** What is missing; null when nothing is. applyMigrations overlooks an edited migration, so this is asked first. */
async function sound(engine: SchemaEngine, migrationsList: MigrationList) {
  const history = await engine.diagnoseMigrationHistory({ migrationsList, filters, optInToShadowDatabase: false });
  if (history.editedMigrationNames.length > 0) {
    throw new ConfigurationError(
      `These migrations were edited after they had been applied: ${history.editedMigrationNames.join(', ')}. ` +
        'Restore the files; a change of the schema is a new migration.',
    );
  }
  if (history.failedMigrationNames.length > 0) {
    throw new ConfigurationError(
      `These migrations have failed on this database: ${history.failedMigrationNames.join(', ')}. ` +
        'See the column logs of _prisma_migrations, mend the cause, and delete the row to try again.',
    );
  }
  return history.history;
}

/** What separates the database (with all migrations applied) from schema.prisma, as SQL; null when nothing does. */
export function schemaDrift(databaseUrl: string): Promise<string | null> {
  return withSchemaEngine(databaseUrl, async (engine) => {
    const schema = await schemaFiles();
    const diff = await engine.diff({
      from: { tag: 'schemaDatasource', ...schema, configDir: '.' },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: true,
      filters,
    });
    return diff.exitCode === 0 ? null : diff.stdout;
  });
}
