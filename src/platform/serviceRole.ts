import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { ConfigurationError } from '../errors.js';
import { PRISMA_FOLDER } from './schemaEngine.js';
import { withClient } from './withClient.js';

/** Owns no table and cannot bypass row-level security. */
export const SERVICE_ROLE = 'assay_service';

/**
 * Makes the roles of prisma/roles.sql and gives them their rights on every table. Needs a user that owns the tables
 * and may create roles; where it may not, throws ConfigurationError with what an administrator has to run once.
 */
export async function grantServiceRole(ownerUrl: string): Promise<void> {
  const sql = await readFile(path.join(PRISMA_FOLDER, 'roles.sql'), 'utf8');
  await withClient(ownerUrl, async (client) => {
    try {
      await client.query(sql);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== '42501') throw error;
      const user = (await client.query('SELECT quote_ident(current_user) AS name')).rows[0].name;
      throw new ConfigurationError(
        `The user of DATABASE_URL may not make the roles that keep teams apart (${message}). As an administrator:\n` +
          '  CREATE ROLE assay_service NOLOGIN; CREATE ROLE assay_system NOLOGIN;\n' +
          `  GRANT assay_service, assay_system TO ${user};`,
      );
    }
  });
}

/**
 * Frees the owner of the tables, but nobody else, from row-level security until the next grantServiceRole. The service
 * is no owner, so processes that are at work stay bound.
 */
export async function freeOwner(ownerUrl: string): Promise<void> {
  await withClient(ownerUrl, (client) =>
    client.query(`DO $$
      DECLARE item regclass;
      BEGIN
        FOR item IN SELECT oid FROM pg_class
          WHERE relnamespace = current_schema()::regnamespace AND relforcerowsecurity
        LOOP
          EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', item);
        END LOOP;
      END $$`),
  );
}

export interface ServiceAccess {
  /** What to connect with. */
  url: string;
  /** Why the role is taken although the URL names another user; null when the user is limited by itself. */
  reason: string | null;
}

interface User {
  name: string;
  superuser: boolean;
  bypasses: boolean;
  owner: boolean;
  member: boolean;
  inherits: boolean;
}

/**
 * How to connect so that row-level security holds: as the URL says when its user is limited by itself, otherwise with
 * the service's role taken at connecting. Throws ConfigurationError when the user can be neither.
 */
export async function serviceAccess(url: string): Promise<ServiceAccess> {
  const user = await withClient(url, userOf);
  const reason = tooMighty(user);
  const access = reason === null && user.inherits ? { url, reason } : { url: withRole(url), reason };
  if (!user.member) {
    throw new ConfigurationError(
      `The database user ${user.name} is no member of the role ${SERVICE_ROLE}: GRANT ${SERVICE_ROLE} TO ${user.name};`,
    );
  }
  await withClient(access.url, async (client) => {
    const { rows } = await client.query("SELECT row_security_active('team') AS active");
    if (!rows[0].active) throw new ConfigurationError(`Row-level security does not hold for ${user.name}.`);
  });
  return access;
}

async function userOf(client: pg.Client): Promise<User> {
  const { rows } = await client.query<User>(
    `SELECT quote_ident(r.rolname) AS name, r.rolsuper AS superuser, r.rolbypassrls AS bypasses,
      pg_has_role(c.relowner, 'USAGE') AS owner, pg_has_role(s.oid, 'MEMBER') AS member,
      pg_has_role(s.oid, 'USAGE') AS inherits
    FROM pg_roles r, pg_roles s, pg_class c
    WHERE r.rolname = current_user AND s.rolname = $1 AND c.oid = to_regclass('team')`,
    [SERVICE_ROLE],
  );
  if (rows[0] === undefined) {
    throw new ConfigurationError('The database is not prepared: run the migrations first (node dist/migrate.js).');
  }
  return rows[0];
}

function tooMighty(user: User): string | null {
  if (user.superuser) return `${user.name} is a superuser`;
  if (user.bypasses) return `${user.name} bypasses row-level security`;
  return user.owner ? `${user.name} owns the tables` : null;
}

/** Taken in the connection's start-up packet, so there is no moment without it; RESET ROLE leads back to it. */
function withRole(url: string): string {
  const changed = new URL(url);
  const options = [changed.searchParams.get('options'), `-c role=${SERVICE_ROLE}`].filter((part) => part !== null);
  changed.searchParams.set('options', options.join(' '));
  return changed.href;
}
