/** Who says a part of an imported run. */
export type OriginSource =
  /** The file. */
  | 'RECORDED'
  /** Whoever imported it. */
  | 'DECLARED'
  /** Found in the dataset or worked out from the file, and checked. */
  | 'RECOVERED'
  /** Nobody. */
  | 'UNKNOWN';

export interface OriginPart {
  /** As in the fingerprint where it is a condition, such as `grader.temperature`; else what it is, such as `verdicts`. */
  part: string;
  /** Null: set to nothing, not known, or no single value. */
  value: string | null;
  source: OriginSource;
}

/** Where an imported run comes from, as its row keeps it. */
export interface RunOrigin {
  /** Whose file it is. */
  format: string;
  fileName: string | null;
  /** Of the file's bytes, hex. */
  sha256: string;
  importedAt: string;
  /** Name of the key or person; null when it has none. */
  importedBy: string | null;
  /** When the file says that it was made, in its own words. */
  recordedAt: string | null;
  /** From 0 to 1: as the file has it, and as its verdicts give it by the run's profile before any length adjustment. */
  reportedScore: number | null;
  recomputedScore: number | null;
  parts: OriginPart[];
}

/** Where a run comes from; null: it was made here. */
export const originOf = (run: { origin: unknown }): RunOrigin | null => run.origin as RunOrigin | null;
