/** Lets one loop sleep until it is woken or its poll is due. A wake-up between two waits is not lost. */
export class WakeSignal {
  #set = false;
  #resolve: (() => void) | null = null;

  /** Callable from anywhere, any number of times. */
  readonly wake = (): void => {
    this.#set = true;
    this.#resolve?.();
  };

  /** Forgets the wake-ups so far: what they were about is looked at now. */
  clear(): void {
    this.#set = false;
  }

  /** Resolves at the next wake-up, at once if there was one since the last wait or clear, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.#set) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#resolve = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#resolve = null;
    }
    this.#set = false;
  }
}
