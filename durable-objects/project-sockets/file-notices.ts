import { joined } from "#src/wire/changed-paths.ts";

/** Least time between two notices. */
const PACE_MS = 1000;

/**
 * Gathers changes of a project's files into at most one notice a second. The first one is sent at once. What waits is
 * lost with an eviction, which a pending timer delays.
 */
export class FileNotices {
  readonly #send: (paths: readonly string[] | null) => void;
  #waiting: readonly string[] | null | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(send: (paths: readonly string[] | null) => void) {
    this.#send = send;
  }

  /** Paths of changed files, or null if any file may have changed. */
  add(paths: readonly string[] | null): void {
    this.#waiting = joined(this.#waiting, paths);
    const left = this.#sentAt + PACE_MS - Date.now();
    if (left <= 0) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), left);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const paths = this.#waiting;
    if (paths === undefined) return;
    this.#waiting = undefined;
    this.#sentAt = Date.now();
    this.#send(paths);
  }
}
