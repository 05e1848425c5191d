import { WorkerEntrypoint } from "cloudflare:workers";
import type { CallFiles } from "#src/shell/file-calls.ts";
import type { Job, JobResult, WithBytes } from "#src/shell/job.ts";
import { runJob } from "#src/shell/run-job.ts";

/**
 * The program of a dynamically loaded Worker, which runs the shell jobs of one project in an isolate of its own: it has no
 * bindings and no network. Bundled by itself, and never part of the service.
 */
// oxlint-disable-next-line import/no-default-export -- what a Worker is
export default class ShellIsolate extends WorkerEntrypoint {
  /** `untilCancelled` resolves when the job is to end, and not before it is over otherwise. */
  async run(
    job: WithBytes<Job>,
    callFiles: CallFiles,
    untilCancelled: () => Promise<void>,
  ): Promise<WithBytes<JobResult>> {
    const cancelled = new AbortController();
    // A caller that is gone ends the call itself.
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
