export type CellType = 'string' | 'integer' | 'number' | 'boolean' | 'timestamp';
export type Cell = string | number | boolean | Date | null;

/** A column of an export: its name in the file, its type, and how to read it from a row. */
export interface Column<R> {
  name: string;
  type: CellType;
  value: (row: R) => Cell;
}

/** Rows with their columns; rows come one by one, however many there are. */
export interface Table<R> {
  name: string;
  columns: Column<R>[];
  rows: AsyncIterable<R>;
  /** Known before the first row, because an export is pinned to where it begins. */
  rowCount: number;
}

/** What a file says about itself. */
export interface ExportNotes {
  [name: string]: string;
}
