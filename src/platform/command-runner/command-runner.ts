import type { CallFiles } from "#src/shell/file-calls.ts";
import type { Job, JobResult, WithBytes } from "#src/shell/job.ts";

export interface RunOptions {
  project: string;
  callFiles: CallFiles;
  /** Ends the job early. */
  cancelled: AbortSignal;
  /** Ends the job after this time, which includes the wait for a free place. Without it the job has no time limit. */
  timeoutMs?: number;
}

/** A job that was ended from outside and has no result. `waited`: it had not begun. */
export interface Ended {
  kind: "ended";
  why: "cancelled" | "timeout" | "memory";
  waited: boolean;
}

/** Runs emulated commands where they can be ended, whatever they compute. */
export interface CommandRunner {
  /** Throws `unavailable`, with a sentence that says what to configure, when no runner is configured. */
  check(): void;
  /** Throws `unavailable` when the runner was lost or did not respond. */
  run(job: WithBytes<Job>, options: RunOptions): Promise<WithBytes<JobResult | Ended>>;
}
