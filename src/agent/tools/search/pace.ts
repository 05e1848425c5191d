/** Steps between two moments in which others get their turn: some tenths of a second at worst. */
const STEPS_PER_TURN = 5_000_000;

/**
 * Keeps long work from holding up everybody else in the process: it lets go after so many steps, ends with the run, and
 * says when its time is over.
 */
export class Pace {
  readonly #signal: AbortSignal;
  readonly #endsAt: number;
  #steps = 0;

  constructor(signal: AbortSignal, { timeoutMs }: { timeoutMs: number }) {
    this.#signal = signal;
    this.#endsAt = Date.now() + timeoutMs;
  }

  /** Whether it is time to let go; counts the steps that were taken, or are about to be. */
  isDue(steps: number): boolean {
    this.#steps += steps;
    return this.#steps >= STEPS_PER_TURN;
  }

  /** Let go. Throws the reason once the run is stopped. */
  async turn(): Promise<void> {
    this.#steps = 0;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#signal.throwIfAborted();
  }

  /** Whether there is no time left. */
  get isOver(): boolean {
    return Date.now() >= this.#endsAt;
  }
}
