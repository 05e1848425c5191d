/**
 * What has arrived and was not read yet. It has a bound, since a socket cannot be paused: at the bound the owner stops
 * to add, and continues from its position when the reader has caught up.
 */
export class BoundedQueue<T> {
  readonly #limit: number;
  readonly #onRoom: () => void;
  #items: { item: T; size: number }[] = [];
  #next = 0;
  #size = 0;
  #isFull = false;
  #end: { error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;
  #isRead = false;

  /** `limit` is in characters. `onRoom` is called when a full queue has been read to a quarter. */
  constructor(limit: number, onRoom: () => void) {
    this.#limit = limit;
    this.#onRoom = onRoom;
  }

  /** From the moment the limit is reached until the reader has caught up, nothing is to be added. */
  get isFull(): boolean {
    return this.#isFull;
  }

  push(item: T, size: number): void {
    if (this.#end) return;
    this.#items.push({ item, size });
    this.#size += size;
    if (this.#size >= this.#limit) this.#isFull = true;
    this.#wake?.();
  }

  /** Nothing follows. The reader gets what is there, and then the end, or this error. */
  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** As `end`, for a reader who wants no more: what is there is dropped. */
  drop(): void {
    this.#items = [];
    this.#next = 0;
    this.end();
  }

  /**
   * Reads to the end. Leaving the loop leaves the rest to the next reader. Throws the error that ended the queue, and
   * the reason of `signal` when that is aborted. There is one reader at a time.
   */
  async *read(signal?: AbortSignal): AsyncGenerator<T, void, void> {
    if (this.#isRead) throw new Error("Another loop reads already");
    this.#isRead = true;
    const wake = () => this.#wake?.();
    signal?.addEventListener("abort", wake);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const entry = this.#take();
        if (entry) {
          yield entry.item;
        } else if (this.#end) {
          if (this.#end.error) throw this.#end.error;
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
          this.#wake = undefined;
        }
      }
    } finally {
      this.#isRead = false;
      signal?.removeEventListener("abort", wake);
    }
  }

  #take(): { item: T; size: number } | undefined {
    const entry = this.#items[this.#next];
    if (!entry) return undefined;
    this.#next += 1;
    this.#size -= entry.size;
    // Removing the first of many one by one would move all others each time.
    if (this.#next > 1_000 || this.#next === this.#items.length) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    if (this.#isFull && this.#size <= this.#limit / 4) {
      this.#isFull = false;
      this.#onRoom();
    }
    return entry;
  }
}
