/** A connection on which things arrive until it ends. */
export interface Line {
  /** Resolves once things arrive. */
  ready: Promise<void>;
  /** Resolves when the line has ended and what arrived on it is handled; rejects when that failed. */
  ended: Promise<void>;
  close(): void;
}

/**
 * Keeps one line after the other, without a moment between them in which something could be missed: the next one is ready
 * before the last one is closed. What arrives on both is the same event twice.
 */
export class Relay {
  readonly #open: () => Promise<Line>;
  #current: Line | undefined;
  #renewal: Promise<void> | undefined;

  constructor(open: () => Promise<Line>) {
    this.#open = open;
  }

  /** Returns when a line has ended and no other took its place. Throws as `open` and the lines do. */
  async run(): Promise<void> {
    this.#current = await this.#open();
    for (let line = this.#current; ; line = this.#current) {
      await line.ended;
      await this.#renewal;
      if (this.#current === line) return;
    }
  }

  /** Opens the next line. While that fails the last one stays. */
  renew(): Promise<void> {
    this.#renewal ??= this.#replace().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #replace(): Promise<void> {
    try {
      const next = await this.#open();
      // A line that ends before it is ready has failed.
      next.ended.catch(() => undefined);
      const isReady = await Promise.race([next.ready.then(() => true), next.ended.then(() => false)]);
      if (!isReady) return;
      const last = this.#current;
      this.#current = next;
      last?.close();
    } catch {
      // The last line goes on; when it ends, the connection is made anew, and tells of what fails.
    }
  }
}
