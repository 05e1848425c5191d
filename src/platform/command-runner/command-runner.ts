import type { CallFiles } from "#src/shell/file-calls.ts";
import type { Job, JobResult, WithBytes } from "#src/shell/job.ts";

export interface RunOptions {
  project: string;
  callFiles: CallFiles;
  /** Ends the job early. */
  cancelled: AbortSignal;
  /** After so long it is ended; a wait for its turn counts. Without, it may run for as long as its caller likes. */
  timeoutMs?: number;
}

/** A job that was ended from outside, and so has no result. `waited`: it had not begun. */
export interface Ended {
  kind: "ended";
  why: "cancelled" | "timeout" | "memory";
  waited: boolean;
}

/** Runs emulated commands where they can be ended whatever they compute. */
export interface CommandRunner {
  /** Throws `unavailable`, with a sentence that says what to configure, where there is no such place. */
  check(): void;
  /** Throws `unavailable` when the place was lost or did not answer. */
  run(job: WithBytes<Job>, options: RunOptions): Promise<WithBytes<JobResult | Ended>>;
}
