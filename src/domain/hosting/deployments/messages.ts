import { z } from "zod";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue, QueueMessage } from "#src/platform/queue/queue.ts";
import { declareFunction, messageTo } from "#src/work/message.ts";
import type { Deployment } from "./queries/requests.ts";

/** A deployment is to be made, or taken down. */
export const deploymentDue = declareFunction({
  name: "run-deployment",
  message: z.object({ deploymentId: z.uuid() }),
});

/**
 * The message that makes an executor go on with a deployment. `reason` sets it apart from other messages for the same
 * generation, which the queue would take for the same one.
 */
export function runMessage(
  { id, generation }: Pick<Deployment, "id" | "generation">,
  reason: string,
  delaySeconds = 0,
): QueueMessage {
  const deduplicationId = `deploy-${id}-${generation}-${reason}`;
  const delivery = { deduplicationId, ...(delaySeconds > 0 && { delaySeconds }) };
  return messageTo(deploymentDue, { deploymentId: id }, delivery);
}

/** Publishes it. The row records the wish, so that the sweep makes up for a message that is lost. */
export async function publishRun(
  deps: { queue: Pick<Queue, "publish">; log: Log },
  deployment: Pick<Deployment, "id" | "generation">,
  reason: string,
  delaySeconds = 0,
): Promise<void> {
  try {
    await deps.queue.publish(runMessage(deployment, reason, delaySeconds));
  } catch (cause) {
    deps.log.warn("a deployment was not published", { deployment_id: deployment.id, cause });
  }
}
