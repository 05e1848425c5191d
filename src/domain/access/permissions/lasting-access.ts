import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Caller } from "./caller.ts";
import { renewCaller, type StoredCaller } from "./renew-caller.ts";

/** A database outage does not end a connection at once. It ends when access could not be checked for this long. */
export const TRUST_MS = 5 * 60 * 1000;

/** Whether a check found that access has ended, as opposed to a check that failed. */
export function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && !error.retryable;
}

interface Options {
  /** How long a check of access is valid, in milliseconds. */
  forMs: number;
  /** Throws when the caller may no longer read the resource. */
  check: (caller: Caller) => Promise<unknown>;
  /** Nothing was checked yet: the first call checks, and is not let through by a check that failed. */
  isUnchecked?: boolean;
}

/** The access behind a long-lived stream or connection, checked again from time to time. */
export class LastingAccess {
  readonly #deps: { db: Db };
  readonly #standing: StoredCaller;
  readonly #options: Options;
  #askedAt: number;
  #foundAt: number;

  constructor(deps: { db: Db }, standing: StoredCaller, options: Options) {
    this.#deps = deps;
    this.#standing = standing;
    this.#options = options;
    this.#askedAt = this.#foundAt = options.isUnchecked === true ? 0 : Date.now();
  }

  /**
   * Called before more is sent; checks again only when the last check is too old. Throws as `renewCaller` and the check do.
   */
  async hold(): Promise<void> {
    const now = Date.now();
    if (now - this.#askedAt < this.#options.forMs) return;
    this.#askedAt = now;
    try {
      await this.#options.check(await renewCaller(this.#deps, this.#standing));
      this.#foundAt = now;
    } catch (error) {
      if (isRefusal(error) || now - this.#foundAt > TRUST_MS) throw error;
    }
  }
}
