import type { Charged } from "#src/domain/metering/usage/index.ts";
import type { ModelUsage } from "#src/models/model.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import { creditsUsed, endingEvents, type EndedTask } from "./events.ts";
import { followUp, type Followed } from "./follow-up.ts";
import type { FollowUpDeps } from "./follow-ups.ts";
import type { LaunchDeps } from "./launch-task.ts";
import { endTask } from "./queries/run.ts";
import { taskWithTitle } from "./queries/title.ts";
import type { ChatSummary, TurnWrite } from "./turns.ts";
import { isTerminal } from "./task.ts";

export interface FinishDeps extends LaunchDeps, FollowUpDeps {
  db: Db;
  taskLogs: TaskLogs;
}

export type TaskEnd =
  | { status: "completed"; response: string; completionReason: string }
  | { status: "failed"; response: string | null; completionReason: string; error: string }
  | { status: "cancelled"; response: string | null; completionReason: "cancelled" };

/** What an executor holds when it ends a task. */
export interface Ending extends TurnWrite {
  /** Tokens of all the task's turns, for the `complete` event. */
  totalUsage: ModelUsage | undefined;
  /** One line about the work, stored with the answer for later tasks. */
  work?: string | null;
  /** The summary of the chat's older messages, for later tasks. */
  chatSummary?: ChatSummary | undefined;
}

/**
 * Ends a task: its row in one conditional statement, then the follow-up, then the last events. Idempotent: a redelivery or
 * an older generation changes nothing in the row, and completes what the first call may have left undone.
 */
export async function finishTask(deps: FinishDeps, ending: Ending, end: TaskEnd): Promise<void> {
  const error = end.status === "failed" ? end.error : null;
  const { taskId: id, iterations, toolCalls } = ending;
  const ended = await endTask(deps, ending, { ...end, error });
  if (!ended) return closeTask(deps, ending);
  await close(deps, ending, { id, iterations, toolCalls, ...end, error, ...ended }, ended.charged);
}

type Closing = Pick<Ending, "taskId" | "generation" | "totalUsage">;

/** Publishes the follow-up of a finished or deleted task, and closes its log. Idempotent. */
export async function closeTask(deps: FinishDeps, closing: Closing): Promise<void> {
  const [found] = await taskWithTitle(deps.db, closing.taskId);
  if (found && !isTerminal(found.task.status)) return; // a newer generation has it
  await close(
    deps,
    closing,
    found && { ...found.task, title: found.title, kind: found.kind, next: found.next },
  );
}

/** `charged` is what the last turn cost. */
async function close(
  deps: FinishDeps,
  { taskId, generation, totalUsage }: Closing,
  task: (EndedTask & Followed) | undefined,
  charged?: Charged,
): Promise<void> {
  const ended = task ?? (await endOfDeleted(deps, { taskId, generation }));
  const last = [...creditsUsed(charged), ...endingEvents(ended, totalUsage)];
  const closeLog = (isSettled: boolean) => deps.taskLogs.close(taskId, generation, last, isSettled);
  // What follows may take a platform's time, or fail: the log's watchdog has it published until it succeeds.
  if (task && deps.followUps[task.kind]?.ended) {
    await Promise.all([closeLog(false), followUp(deps, task)]);
    await deps.taskLogs.settle(taskId);
    return;
  }
  try {
    if (task) await followUp(deps, task);
  } catch (error) {
    // Readers need not wait for the queue either.
    await closeLog(false);
    throw error;
  }
  await closeLog(true);
}

/**
 * The end of a task whose row is gone, for the readers of its events. A deleted chat's tasks are cancelled first, and their
 * logs already hold that end.
 */
async function endOfDeleted(
  { taskLogs }: Pick<FinishDeps, "taskLogs">,
  { taskId: id, generation }: Pick<Ending, "taskId" | "generation">,
): Promise<EndedTask> {
  const nothing = { chatId: "", title: null, response: null, iterations: 0, toolCalls: 0 };
  const { stop } = await taskLogs.ping(id, generation);
  if (stop === "cancelled") {
    return { id, status: "cancelled", completionReason: "cancelled", error: null, ...nothing };
  }
  const error = "The project of this task was deleted";
  return { id, status: "failed", completionReason: "project_deleted", error, ...nothing };
}
