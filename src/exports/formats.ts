import { stringify } from 'csv-stringify/sync';
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { Cell, CellType, Column, ExportNotes, Table } from './table.js';

export type ExportFormat = 'jsonl' | 'csv' | 'parquet';

interface Format {
  contentType: string;
  write<R>(table: Table<R>, notes: ExportNotes): AsyncGenerator<Uint8Array>;
}

/** Rows a chunk and a row group: large enough to compress well, small enough for constant memory. */
const GROUP = 1_000;
/** What a spreadsheet program still shows of a cell. */
const LONG_CELL = 32_767;
const BYTE_ORDER_MARK = '\ufeff';

/** How a table becomes bytes. Each writes in constant memory. */
export const formats: Record<ExportFormat, Format> = {
  jsonl: { contentType: 'application/x-ndjson', write: writeJsonl },
  csv: { contentType: 'text/csv; charset=utf-8', write: writeCsv },
  parquet: { contentType: 'application/vnd.apache.parquet', write: writeParquet },
};

/** Throws at the end when rows are missing: they were deleted meanwhile, and a short file would look whole. */
async function* groups<R>({ name, rows, rowCount }: Table<R>): AsyncGenerator<R[]> {
  let group: R[] = [];
  let count = 0;
  for await (const row of rows) {
    count += 1;
    group.push(row);
    if (group.length < GROUP) continue;
    yield group;
    group = [];
  }
  if (count !== rowCount) throw new Error(`${count} of ${rowCount} ${name} were still there to be exported`);
  if (group.length > 0) yield group;
}

async function* writeJsonl<R>(table: Table<R>): AsyncGenerator<Uint8Array> {
  const { columns } = table;
  for await (const group of groups(table)) {
    const lines = group.map((row) => JSON.stringify(Object.fromEntries(columns.map((c) => [c.name, c.value(row)]))));
    yield Buffer.from(`${lines.join('\n')}\n`);
  }
}

/**
 * For spreadsheets: with a byte order mark, texts that a spreadsheet would run as a formula defused by an
 * apostrophe, numbers untouched. The last column names the cells that are longer than a spreadsheet shows.
 */
async function* writeCsv<R>(table: Table<R>): AsyncGenerator<Uint8Array> {
  const { columns } = table;
  yield Buffer.from(BYTE_ORDER_MARK + stringify([[...columns.map((column) => column.name), 'long_cells']]));
  for await (const group of groups(table)) {
    yield Buffer.from(stringify(group.map((row) => csvRow(columns, row))));
  }
}

function csvRow<R>(columns: Column<R>[], row: R): string[] {
  const long: string[] = [];
  const cells = columns.map(({ name, value }) => {
    const cell = value(row);
    if (typeof cell === 'string' && cell.length > LONG_CELL) long.push(name);
    return csvCell(cell);
  });
  return [...cells, long.join(' ')];
}

/** Defuses a text that a spreadsheet would take for a formula, also behind blanks and invisible characters. */
export function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell !== 'string') return String(cell);
  return /^[\s\u200b-\u200f\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/u.test(cell) ? `'${cell}` : cell;
}

const parquetTypes = {
  string: 'STRING',
  integer: 'INT32',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
} as const satisfies Record<CellType, string>;

async function* writeParquet<R>(table: Table<R>, notes: ExportNotes): AsyncGenerator<Uint8Array> {
  const { columns } = table;
  const writer = new ByteWriter();
  const specs = columns.map(({ name, type }) => ({ name, type: parquetTypes[type], nullable: true }));
  const schema = schemaFromColumnData({ columnData: specs.map((spec) => ({ ...spec, data: [] })) });
  const kvMetadata = Object.entries(notes).map(([key, value]) => ({ key, value }));
  const parquet = new ParquetWriter({ writer, schema, kvMetadata, createdBy: 'assay' });
  for await (const group of groups(table)) {
    const columnData = columns.map(({ value }, i) => ({ ...(specs[i] as (typeof specs)[0]), data: group.map(value) }));
    await parquet.write({ columnData, rowGroupSize: group.length });
    yield take(writer);
  }
  await parquet.finish();
  yield take(writer);
}

/** Hands over what has been written; offsets in the file go on counting. */
function take(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}
