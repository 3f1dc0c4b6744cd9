import { type Database, Prisma } from '../platform/database.js';
import { camelCase, identifier, type TeamTable, teamTables } from './teamTables.js';

const BATCH = 500;

/** Rows of other teams' work, or none that anybody could use. */
const LEFT_OUT = new Set(['idempotent_request', 'erased_team', 'write_receipt']);

/**
 * Everything of a team, row by row, in constant memory: first a line that says what this is, then each row with its
 * `type`, and last the number of rows of each type. Columns of bytes (hashes, sealed keys) are left out. Every row with
 * text of a dataset carries the canary of its conversation, so that the text can be kept out of training data.
 */
export async function* exportTeam(db: Database, teamId: string): AsyncGenerator<object> {
  yield { type: 'export', of: 'team', exportedAt: new Date(), format: 1 };
  const counts: Record<string, number> = {};
  for (const table of await teamTables(db)) {
    if (LEFT_OUT.has(table.name)) continue;
    const type = camelCase(table.name);
    for await (const row of rowsOf(db, table, teamId)) {
      counts[type] = (counts[type] ?? 0) + 1;
      yield { type, ...outside(row) };
    }
  }
  yield { type: 'end', rows: counts };
}

type Row = Record<string, unknown>;

async function* rowsOf(db: Database, table: TeamTable, teamId: string): AsyncGenerator<Row> {
  const key = Prisma.join(table.key.map(({ name }) => Prisma.sql`t.${identifier(name)}`));
  const fields = table.columns.map((name) => Prisma.sql`t.${identifier(name)}`);
  const canary = canaryOf(table);
  // Text of the key's values, so that no type is read and written in two ways.
  const last = Prisma.join(table.key.map(({ name }) => Prisma.sql`t.${identifier(name)}::text`));
  const of = table.name === 'team' ? Prisma.sql`t.id` : Prisma.sql`t.team_id`;
  for (let after: string[] | null = null; ; ) {
    const from: string[] | null = after;
    const beyond =
      from === null
        ? Prisma.empty
        : Prisma.sql`AND (${key}) > (${Prisma.join(
            table.key.map(({ type }, i) => Prisma.sql`${from[i]}::text::${Prisma.raw(type)}`),
          )})`;
    const rows: { row: Row; last: string[] }[] = await db.$queryRaw`
      SELECT (SELECT to_jsonb(r) FROM (SELECT ${Prisma.join([...fields, ...canary])}) r) AS row, ARRAY[${last}] AS last
      FROM ${identifier(table.name)} t WHERE ${of} = ${teamId}::uuid ${beyond} ORDER BY ${key} LIMIT ${BATCH}`;
    for (const { row } of rows) yield row;
    after = rows.at(-1)?.last ?? null;
    if (rows.length < BATCH) return;
  }
}

/** The canary of the conversation that a row belongs to, as one more field. */
function canaryOf({ columns }: TeamTable): Prisma.Sql[] {
  if (columns.includes('canary')) return [];
  if (columns.includes('dataset_id') && columns.includes('conversation_no')) {
    return [
      Prisma.sql`(SELECT c.canary FROM conversation c
        WHERE c.dataset_id = t.dataset_id AND c.no = t.conversation_no) AS canary`,
    ];
  }
  if (!columns.includes('run_id') || !columns.includes('ordinal')) return [];
  return [
    Prisma.sql`(SELECT c.canary FROM run_conversation rc JOIN run r ON r.id = rc.run_id
      JOIN conversation c ON c.dataset_id = r.dataset_id AND c.no = rc.conversation_no
      WHERE rc.run_id = t.run_id AND rc.ordinal = t.ordinal) AS canary`,
  ];
}

/** The row with its fields in camelCase; what is inside of them stays as it is. */
const outside = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), value]));
