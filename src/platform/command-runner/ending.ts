import type { JobResult, WithBytes } from "#src/shell/job.ts";
import type { Ended, RunOptions } from "./command-runner.ts";

/** How long a job that must end may take to return its output. */
export const GRACE_MS = 300;

type Outcome = WithBytes<JobResult | Ended>;

/** Asks a job to end when it is cancelled or its time is over, and stops waiting for it after `GRACE_MS`. */
export class Ending {
  readonly #controller = new AbortController();
  readonly #cancelled: AbortSignal;
  readonly #cancel = () => this.#request("cancelled");
  readonly #due: number;
  #timers: ReturnType<typeof setTimeout>[] = [];
  why: "cancelled" | "timeout" = "timeout";
  #deadline = () => {};

  constructor({ cancelled, timeoutMs }: RunOptions) {
    this.#cancelled = cancelled;
    this.#due = Date.now() + (timeoutMs ?? 0);
    cancelled.addEventListener("abort", this.#cancel, { once: true });
    if (timeoutMs !== undefined) this.#timers.push(setTimeout(() => this.#request("timeout"), timeoutMs));
    if (cancelled.aborted) this.#cancel();
  }

  get leftMs(): number {
    return Math.max(this.#due - Date.now(), 1);
  }

  onRequest(act: () => unknown): void {
    if (this.#controller.signal.aborted) act();
    else this.#controller.signal.addEventListener("abort", () => void act(), { once: true });
  }

  onDeadline(act: () => void): void {
    this.#deadline = act;
  }

  outcome({ waited }: { waited: boolean }): Outcome {
    return { value: { kind: "ended", why: this.why, waited } };
  }

  release(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#cancelled.removeEventListener("abort", this.#cancel);
  }

  #request(why: "cancelled" | "timeout"): void {
    if (this.#controller.signal.aborted) return;
    this.why = why;
    this.#timers.push(setTimeout(() => this.#deadline(), GRACE_MS));
    this.#controller.abort();
  }
}
