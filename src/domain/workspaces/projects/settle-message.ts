import type { QueueMessage } from "#src/platform/queue/queue.ts";

/** The queue message that brings a project to its wanted state. */
export function settleMessage(projectId: string, delaySeconds?: number): QueueMessage {
  return {
    function: "settle-project",
    payload: { projectId },
    ...(delaySeconds !== undefined && { delaySeconds }),
  };
}
