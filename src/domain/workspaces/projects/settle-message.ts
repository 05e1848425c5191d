import type { QueueMessage } from "#src/platform/queue/queue.ts";

/** Bring a project to the state that is wanted of it. */
export function settleMessage(projectId: string, delaySeconds?: number): QueueMessage {
  return {
    function: "settle-project",
    payload: { projectId },
    ...(delaySeconds !== undefined && { delaySeconds }),
  };
}
