/** A file as its publisher released it. */
export interface OfficialFile {
  name: string;
  variant: 'MAIN' | 'HARD' | 'CONSENSUS' | 'META_EVAL';
  records: number;
  bytes: number;
}

/** The published HealthBench files by the sha256 (hex) of their bytes. Source: dataset `openai/healthbench`. */
export const OFFICIAL_FILES: ReadonlyMap<string, OfficialFile> = new Map([
  [
    'e99dd3c6372c10d6fcc5e385c5fae69d0dd40392dae56836ef9493ae324ecd2f',
    { name: '2025-05-07-06-14-12_oss_eval.jsonl', variant: 'MAIN', records: 5_000, bytes: 60_258_154 },
  ],
  [
    'b0320430e5cd974e746585594c1dd10b5a3fc2aff9c72b26106c2c4a069d74e9',
    { name: 'hard_2025-05-08-21-00-10.jsonl', variant: 'HARD', records: 1_000, bytes: 12_581_564 },
  ],
  [
    'fabe37553327238928b05357d8b309737b5d426d6dee432a3376da618d0969d6',
    { name: 'consensus_2025-05-09-20-00-46.jsonl', variant: 'CONSENSUS', records: 3_671, bytes: 36_921_504 },
  ],
  [
    '6a343ed3fcb6f28353c2c6c157ae30ddf2db874c947b27ba474ad54da9c5dbac',
    { name: '2025-05-07-06-14-12_oss_meta_eval.jsonl', variant: 'META_EVAL', records: 29_511, bytes: 136_224_466 },
  ],
]);

/** The official file with this sha256 (hex, any case), or null. */
export function officialFile(sha256: string): OfficialFile | null {
  return OFFICIAL_FILES.get(sha256.toLowerCase()) ?? null;
}

/** A published file that can be fetched by name: what it is called there, and what it must be. */
export interface SourceFile {
  name: string;
  bytes: number;
  /** Hex, lower case. */
  sha256: string;
}

const sourceFile = (variant: OfficialFile['variant']): SourceFile => {
  for (const [sha256, file] of OFFICIAL_FILES) if (file.variant === variant) return { ...file, sha256 };
  throw new Error(`no official file is ${variant}`);
};

/** The files that hold conversations to evaluate; the meta-evaluation's holds physicians' opinions instead. */
export const SOURCE_FILES = {
  HEALTHBENCH_MAIN: sourceFile('MAIN'),
  HEALTHBENCH_HARD: sourceFile('HARD'),
  HEALTHBENCH_CONSENSUS: sourceFile('CONSENSUS'),
} as const satisfies Record<string, SourceFile>;

/** Where their owner publishes them; each file stands beside the others under its name. */
export const PUBLISHED_AT = 'https://openaipublic.blob.core.windows.net/simple-evals/healthbench/';
