/** How long the first step waits for others, in milliseconds. */
const GATHER_MS = 2;

/** Groups steps that arrive close together into one turn, whose writes the database stores in one disk write. */
export class Together {
  #waiting: (() => void)[] = [];

  /** Resolves or rejects with the step's result, once it was run. */
  take<T>(step: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#waiting.length === 0) setTimeout(() => this.#takeAll(), GATHER_MS);
    this.#waiting.push(() => {
      try {
        resolve(step());
      } catch (error) {
        reject(error);
      }
    });
    return promise;
  }

  #takeAll(): void {
    const steps = this.#waiting;
    this.#waiting = [];
    for (const step of steps) step();
  }
}
