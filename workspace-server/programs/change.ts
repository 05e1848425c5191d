/** A repeating event that several readers await. */
export class Change {
  #waiting: (() => void)[] = [];

  announce(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  /** Resolves at the next change, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = () => {
        signal.removeEventListener("abort", resume);
        resolve();
      };
      signal.addEventListener("abort", resume, { once: true });
      this.#waiting.push(resume);
    });
  }
}
