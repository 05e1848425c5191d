import { openApprovals } from "#src/domain/agent-work/approvals/index.ts";
import { streamTask, type Task } from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { followTask } from "./follow-task.ts";

/** Longest wait for a running task. The clock is checked at the beginning and at each heartbeat of the log. */
const PATIENCE_MS = 600_000;

/**
 * Waits until a task has ended, or until its end is not foreseeable: it waits for an approval, an earlier message of its
 * chat does, or it has worked for ten minutes.
 */
export async function awaitTask(
  deps: Parameters<typeof streamTask>[0] & { db: Db },
  task: Pick<Task, "id" | "chatId" | "status">,
): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for await (const heard of followTask(deps, task, 0, await streamTask(deps, task, 0))) {
    if (Date.now() > until) return;
    if (heard.kind === "events") {
      if (heard.events.some(({ type }) => type === "approval_required")) return;
    } else if ((await openApprovals(deps.db, { chatId: task.chatId })).length > 0) return;
  }
}
