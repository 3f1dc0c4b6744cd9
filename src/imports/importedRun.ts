import type { Message } from '../healthbench/conversation.js';

/** Whose files can be read. */
export type ImportFormat = 'SIMPLE_EVALS' | 'SOURCE_HARNESS' | 'HEALTHBENCH_RUNNER' | 'INSPECT';

/** A file cannot be imported: where in it, what is wrong, what to do. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  /** @param place for example `Line 3` or `metadata.example_level_metadata[2].rubric_items[0]`; null: the file as a whole */
  constructor(place: string | null, message: string, options?: ErrorOptions) {
    super(place === null ? message : `${place}: ${message}`, options);
  }
}

/** What a file says of one criterion. */
export interface ImportedItem {
  place: string;
  /** Undefined: the file does not say, so there is nothing to check. */
  points?: number;
  text?: string;
  verdict: ImportedVerdict;
}

export type ImportedVerdict =
  | { criteriaMet: boolean; explanation: string }
  /** No verdict could be had: a failure, whatever the file took it for. */
  | { reason: string; message: string };

export interface ImportedReply {
  text: string;
  promptTokens: number | null;
  completionTokens: number | null;
  cachedTokens: number | null;
  reasoningTokens: number | null;
}

/** A criterion as the dataset has it. */
export interface RubricLine {
  text: string;
  points: number;
  /** As the dataset writes it: 5 or 5.0. */
  pointsText: string;
}

/** One conversation of a file, in the order of the file. */
export interface ImportedConversation {
  place: string;
  promptId: string;
  /** As they were sent, perhaps with a system message; undefined: the file does not say. */
  messages?: Message[];
  reply: ImportedReply | { reason: string; message: string };
  /** In the order of the rubric; empty where there is no reply. */
  items: ImportedItem[];
  /** In place of `items`, where they can be told apart by the dataset's rubric only. @throws ImportError */
  itemsOf?(rubric: readonly RubricLine[]): ImportedItem[];
}

/** What a file says of a model; undefined: nothing. */
export interface ModelFacts {
  model?: string;
  temperature?: number | null;
  reasoningEffort?: string | null;
  maxTokens?: number | null;
  systemMessage?: string | null;
}

/** What a file says of its run as a whole; undefined: nothing. */
export interface RunFacts {
  modelUnderTest: ModelFacts;
  grader: ModelFacts;
  /** What it calls its dataset. */
  dataset?: string;
  /** When it was made, in its own words. */
  recordedAt?: string;
  /** From 0 to 1, as that harness computed it. */
  score?: number;
}

/** A file that is being read: its facts are complete when its conversations have all been taken. */
export interface ImportedRun {
  format: ImportFormat;
  facts: RunFacts;
  conversations: AsyncIterable<ImportedConversation>;
}
