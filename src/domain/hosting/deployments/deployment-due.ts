import { z } from "zod";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { declareJob, messageOf, type StoredJob } from "#src/work/job.ts";

/** A deployment is to be made, ended or taken down. Its key is the deployment's id. */
export const deploymentDue = declareJob({
  name: "run-deployment",
  payload: z.object({ deploymentId: z.uuid() }),
});

/** Publishes jobs that were just stored. They are due, so the sweep makes up for messages that are lost. */
export async function publishRuns(
  { queue, log }: { queue: Pick<Queue, "publishBatch">; log: Log },
  stored: readonly StoredJob[],
): Promise<void> {
  if (stored.length === 0) return;
  const { name } = deploymentDue;
  try {
    await queue.publishBatch(
      stored.map(({ key, generation }) => messageOf({ name, key }, { occasion: generation })),
    );
  } catch (cause) {
    log.warn("deployments were not published", { deployment_ids: stored.map(({ key }) => key), cause });
  }
}
