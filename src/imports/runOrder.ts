import { ImportError } from './importedRun.js';

/** Where a conversation stands in its run. */
export interface RunPlace {
  ordinal: number;
  /** From 1. */
  repeat: number;
}

/**
 * The order of a run as a file shows it: a list of conversations, and for each repeat the whole list once more. Pure;
 * remembers one id a conversation.
 */
export class RunOrder {
  readonly #places = new Map<string, { at: number; place: string }>();
  readonly #ids: string[] = [];
  #next = 0;

  /**
   * The place of the next conversation.
   *
   * @param most repeats that there may be
   * @throws ImportError for an id that comes once more, other than in a whole repeat that there may be
   */
  add(promptId: string, place: string, most: number): RunPlace {
    const ordinal = this.#next;
    this.#next += 1;
    const size = this.#ids.length;
    const known = this.#places.get(promptId);
    if (known === undefined && ordinal === size) {
      this.#places.set(promptId, { at: ordinal, place });
      this.#ids.push(promptId);
      return { ordinal, repeat: 1 };
    }
    if (known === undefined || known.at !== ordinal % size || ordinal >= most * size) {
      const before = known === undefined ? 'did not occur in the first repeat' : `occurred before (${known.place})`;
      throw new ImportError(
        place,
        `prompt_id ${promptId} ${before}. A repeat must be the whole list in the same order; say how many repeats there are.`,
      );
    }
    return { ordinal, repeat: Math.floor(ordinal / size) + 1 };
  }

  /** The number of repeats. @throws ImportError when the last one is incomplete, or there is nothing at all */
  end(): number {
    if (this.#next === 0) throw new ImportError(null, 'The file holds no conversation.');
    const missing = this.#ids[this.#next % this.#ids.length];
    if (this.#next % this.#ids.length !== 0) {
      throw new ImportError(null, `The file ends within a repeat: prompt_id ${missing} should come next.`);
    }
    return this.#next / this.#ids.length;
  }
}
