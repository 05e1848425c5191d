import type { LostAccess } from "#src/domain/access/permissions/index.ts";
import type { StopReason } from "#src/platform/objects/task-logs.ts";
import { finishTask, type FinishDeps, type TaskEnd } from "./finish-task.ts";
import { goOn } from "./go-on.ts";
import { unfinishedTasksOf } from "./queries/unfinished.ts";
import { isTerminal, type Task, type TaskStatus } from "./task.ts";

export type CancelOutcome =
  | { cancelRequested: true; cancelledAt: Date }
  | { cancelRequested: false; status: TaskStatus };

const SENTENCE_OF: Record<Exclude<StopReason, "cancelled">, string> = {
  key_revoked: "The API key that started this task was revoked",
  access_lost: "The user who started this task no longer has access to the project, or to the chat",
  agent_lost:
    "The team may no longer use this agent: it was switched off, refunded, or its subscription is over",
};

/** The outcome of a stopped task. */
export function endOfStopped(reason: StopReason, response: string | null): TaskEnd {
  if (reason === "cancelled") return { status: "cancelled", response, completionReason: "cancelled" };
  return { status: "failed", response, completionReason: reason, error: SENTENCE_OF[reason] };
}

/** Stops a task for its caller. A finished task is unchanged. */
export async function cancelTask(deps: FinishDeps, task: Task): Promise<CancelOutcome> {
  if (isTerminal(task.status)) return { cancelRequested: false, status: task.status };
  await stopTask(deps, task, "cancelled");
  return { cancelRequested: true, cancelledAt: new Date() };
}

/** Stops tasks whose key was revoked or whose user lost access. */
export async function stopTasksOf(deps: FinishDeps, lost: LostAccess): Promise<void> {
  const reason = "keyId" in lost ? "key_revoked" : "access_lost";
  for (const task of await unfinishedTasksOf(deps.db, lost)) await stopTask(deps, task, reason);
}

/**
 * Asks the executor to stop, which it sees at its next write or ping. A task without an executor is ended here under a new
 * generation, which fences an executor that starts at the same moment.
 */
async function stopTask(deps: FinishDeps, task: Task, reason: StopReason): Promise<void> {
  await deps.taskLogs.open(task.id);
  const state = await deps.taskLogs.requestStop(task.id, reason);
  if (state === "begun") return goOn(deps, task);
  if (state !== "waiting") return;
  const begun = await deps.taskLogs.begin(task.id, 1);
  if (begun.kind !== "run") return;
  const nothingDone = {
    iterations: 0,
    toolCalls: 0,
    turn: undefined,
    call: undefined,
    totalUsage: undefined,
  };
  await finishTask(
    deps,
    { taskId: task.id, generation: begun.generation, ...nothingDone },
    endOfStopped(reason, null),
  );
}
