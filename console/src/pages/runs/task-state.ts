import type { api } from "@agent-workspace/client";

/** How a task stands, as `State` calls it: one that runs and whose own approval is open waits for a person. */
export function taskState({
  task_id,
  status,
  waiting_for,
}: Pick<api.Task, "task_id" | "status" | "waiting_for">): string {
  const asks = waiting_for?.task_id === task_id && waiting_for.approval_id !== null;
  return asks ? "waiting_approval" : status;
}
