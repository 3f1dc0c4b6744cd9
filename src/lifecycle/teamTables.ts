import { Prisma, type Queryable } from '../platform/database.js';

/** Rows by kind: the table's name in camelCase, and how many. */
export type RowCounts = Record<string, number>;

export interface TeamTable {
  name: string;
  columns: string[];
  /** Of its primary key, in order, with their types. */
  key: { name: string; type: string }[];
}

/**
 * Every table that holds rows of teams, as the database has them: what is exported, counted and erased is found here
 * and not in a list that somebody must keep. Columns of bytes are left out; they hold hashes and sealed secrets.
 */
export async function teamTables(db: Queryable): Promise<TeamTable[]> {
  return db.$queryRaw<TeamTable[]>`
    SELECT c.relname::text AS name,
      (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid <> 'bytea'::regtype) AS columns,
      (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) ORDER BY k.place)
        FROM pg_index i, unnest(i.indkey::int[]) WITH ORDINALITY AS k(attnum, place), pg_attribute a
        WHERE i.indrelid = c.oid AND i.indisprimary AND a.attrelid = c.oid AND a.attnum = k.attnum) AS key
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND (c.relname = 'team' OR EXISTS (SELECT FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'team_id' AND NOT a.attisdropped))
    ORDER BY c.relname <> 'team', c.relname`;
}

/** `run_conversation` is `runConversation` outside the database. */
export const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** An identifier of the database as part of a statement. */
export const identifier = (name: string): Prisma.Sql => Prisma.raw(`"${name.replaceAll('"', '""')}"`);

/** The tables with rows of single runs. */
export const ofRuns = (tables: TeamTable[]): TeamTable[] => tables.filter(({ columns }) => columns.includes('run_id'));

/** How many rows of each table fulfil the condition; tables without any are left out. */
export async function countRows(db: Queryable, tables: TeamTable[], where: Prisma.Sql): Promise<RowCounts> {
  if (tables.length === 0) return {};
  const counts = tables.map(
    ({ name }) => Prisma.sql`SELECT ${name} AS name, count(*) AS n FROM ${identifier(name)} WHERE ${where}`,
  );
  const rows = await db.$queryRaw<{ name: string; n: bigint }[]>`${Prisma.join(counts, ' UNION ALL ')}`;
  return Object.fromEntries(rows.filter(({ n }) => n > 0).map(({ name, n }) => [camelCase(name), Number(n)]));
}

/** Adds `more` to `counts`. */
export function addCounts(counts: RowCounts, more: RowCounts): void {
  for (const [name, n] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + n;
}
