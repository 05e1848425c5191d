import type { z } from "zod";
import type { WaitingFor } from "#src/wire/task-events.ts";
import type { Waiting } from "./queries/waiting.ts";

/** An approval that a message denied. */
export interface RefusedQuestion {
  taskId: string;
  approvalId: string;
  tool: string;
}

/** What a message waits for, as the API returns it. `refused` is the approval that the message itself denied. */
export function describeWaiting(waiting: Waiting, refused?: RefusedQuestion): z.output<typeof WaitingFor> {
  return {
    task_id: waiting.taskId,
    approval_id: refused?.approvalId ?? waiting.approvalId,
    tool: refused?.tool ?? waiting.tool,
    refused: refused !== undefined,
  };
}

/** What a message waits for, as a sentence. */
export function sentenceOfWaiting(waiting: Waiting, refused?: RefusedQuestion): string {
  if (refused) {
    return `This message waits for an earlier message of its chat to end. Sending it denied ${refused.tool} (approval ${refused.approvalId}).`;
  }
  if (waiting.approvalId === null) {
    return "This message waits: the agent is still working on an earlier message of its chat.";
  }
  return `This message waits: an earlier message of its chat needs an approval to run ${waiting.tool} (approval ${waiting.approvalId}).`;
}
