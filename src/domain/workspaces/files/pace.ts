/** Steps before the work yields: some tenths of a second at worst. */
const STEPS_PER_TURN = 5_000_000;

/**
 * Keeps long work from blocking other requests of the process: the work yields after a number of steps, ends with the
 * run, and has a time limit.
 */
export class Pace {
  readonly #signal: AbortSignal;
  readonly #endsAt: number;
  #steps = 0;

  constructor(signal: AbortSignal, { timeoutMs }: { timeoutMs: number }) {
    this.#signal = signal;
    this.#endsAt = Date.now() + timeoutMs;
  }

  /** Adds steps that were taken or are about to be, and returns whether it is time to yield. */
  isDue(steps: number): boolean {
    this.#steps += steps;
    return this.#steps >= STEPS_PER_TURN;
  }

  /** Yields. Throws the reason once the run is stopped. */
  async turn(): Promise<void> {
    this.#steps = 0;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#signal.throwIfAborted();
  }

  /** Whether the time limit is reached. */
  get isOver(): boolean {
    return Date.now() >= this.#endsAt;
  }
}
