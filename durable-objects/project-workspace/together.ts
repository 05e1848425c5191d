/** How long the first of them waits for others, in milliseconds. */
const GATHER_MS = 2;

/** Takes steps that come close together in one turn, which the database writes to the disk at once. */
export class Together {
  #waiting: (() => void)[] = [];

  /** What the step returns or throws, once it has been taken. */
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
