interface Waiting<T> {
  item: T;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: what arrives under one key while a batch of it is being written forms the next batch. Each item
 * is durable when its `add` resolves, and yet many that come at once cost no transaction each. One batch of a key
 * is written at a time, so that writers of this process do not queue for the same rows.
 */
export class GroupCommit<T> {
  readonly #queues = new Map<string, Waiting<T>[]>();

  /**
   * @param write stores a batch, all or nothing
   * @param identity items that are equal in this never come in one batch
   */
  constructor(
    private readonly maxBatch: number,
    private readonly identity: (item: T) => string,
    private readonly write: (key: string, items: T[]) => Promise<unknown>,
  ) {}

  /** Resolves when the item is stored; rejects when its batch could not be. */
  add(key: string, item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject };
      const queue = this.#queues.get(key);
      if (queue !== undefined) {
        queue.push(waiting);
        return;
      }
      this.#queues.set(key, [waiting]);
      void this.#drain(key);
    });
  }

  async #drain(key: string): Promise<void> {
    for (let queue = this.#queues.get(key); queue !== undefined && queue.length > 0; queue = this.#queues.get(key)) {
      const batch = this.#take(queue);
      try {
        await this.write(
          key,
          batch.map(({ item }) => item),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#queues.delete(key);
  }

  /** Takes a batch off the queue's front; an item that is in it already waits for the next one. */
  #take(queue: Waiting<T>[]): Waiting<T>[] {
    const seen = new Set<string>();
    const batch: Waiting<T>[] = [];
    while (queue.length > 0 && batch.length < this.maxBatch) {
      const identity = this.identity((queue[0] as Waiting<T>).item);
      if (seen.has(identity)) break;
      seen.add(identity);
      batch.push(queue.shift() as Waiting<T>);
    }
    return batch;
  }
}
