import { AppError } from "#src/lib/errors.ts";
import { timeLimit, within } from "#src/lib/time-limit.ts";

/** How long a server may be silent before it counts as dead, and how it is looked at meanwhile. */
export interface Patience {
  /** How long a stop of all programs may take. They get five seconds to end by themselves. */
  stopMs: number;
  /** A server that answers nothing for so long is dead. */
  silenceMs: number;
  /** Between two looks at a server that an unanswered call waits for. */
  lookMs: number;
  /** How long one look may take. */
  answerMs: number;
}

/** A server with much to do answers late, but it answers within these times: see the decision 0013. */
export const PATIENCE: Patience = { stopMs: 30_000, silenceMs: 60_000, lookMs: 10_000, answerMs: 10_000 };

/** Says whether a server that does not answer is still alive. A call to it lasts as long as it answers others. */
export class Liveness {
  readonly #look: (signal: AbortSignal) => Promise<void>;
  readonly #patience: Patience;
  /** Since when it answers nothing; undefined while it answers. */
  #silentSince: number | undefined;
  #looking: Promise<boolean> | undefined;

  /** `look` asks the server for anything, and rejects when it does not answer. */
  constructor(look: (signal: AbortSignal) => Promise<void>, patience: Patience) {
    this.#look = look;
    this.#patience = patience;
  }

  /** Something else has shown that it answers, or another server has taken its place. */
  answered(): void {
    this.#silentSince = undefined;
  }

  /** Looks at the server. False once it has been silent for too long. */
  async isAlive(): Promise<boolean> {
    if (await this.answers()) return true;
    return Date.now() - (this.#silentSince ?? 0) < this.#patience.silenceMs;
  }

  /** Looks at the server: whether it answers now. */
  answers(): Promise<boolean> {
    return (this.#looking ??= this.#lookOnce().finally(() => (this.#looking = undefined)));
  }

  /** Waits for a call. Rejects with `SilentError` when the server has been silent for too long. */
  async whileAlive<T>(call: Promise<T>): Promise<T> {
    for (;;) {
      const ended = await within(this.#patience.lookMs, call);
      if (ended) {
        this.answered();
        return ended.value;
      }
      if (!(await this.isAlive())) throw new SilentError();
    }
  }

  async #lookOnce(): Promise<boolean> {
    const begun = Date.now();
    using limit = timeLimit(this.#patience.answerMs);
    // A server that hangs may not notice the signal.
    const looked = await within(
      this.#patience.answerMs,
      this.#look(limit.signal).then(() => true),
    ).catch(() => undefined);
    if (looked) this.answered();
    else this.#silentSince ??= begun;
    return looked !== undefined;
  }
}

/** The server has been silent for too long. */
export class SilentError extends AppError {
  constructor() {
    super("unavailable", "The project's environment does not answer; try again in a moment");
  }
}
