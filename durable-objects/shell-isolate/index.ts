import { WorkerEntrypoint } from "cloudflare:workers";
import type { CallFiles } from "#src/shell/file-calls.ts";
import type { Job, JobResult, WithBytes } from "#src/shell/job.ts";
import { runJob } from "#src/shell/run-job.ts";

/**
 * The program of a dynamically loaded Worker, which runs the shell jobs of one project in a separate isolate without
 * bindings and network. It is bundled separately and never part of the service.
 */
// oxlint-disable-next-line import/no-default-export -- what a Worker is
export default class ShellIsolate extends WorkerEntrypoint {
  /** `untilCancelled` resolves when the job must end, and otherwise not before it is over. */
  async run(
    job: WithBytes<Job>,
    callFiles: CallFiles,
    untilCancelled: () => Promise<void>,
  ): Promise<WithBytes<JobResult>> {
    const cancelled = new AbortController();
    // If the caller is gone, the call ends by itself.
    untilCancelled().then(
      () => cancelled.abort(),
      () => {},
    );
    return runJob(job, { callFiles, pause: letGo, cancelled: cancelled.signal });
  }
}

function letGo(): Promise<void> {
  return scheduler.wait(0);
}
