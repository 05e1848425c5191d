import { isTerminal } from "#src/domain/agent-work/tasks/index.ts";
import { deliverResult } from "./deliver-result.ts";
import { endRun } from "./end-run.ts";
import { runOfTask, type OpenRun, type RunEnd } from "./queries/run.ts";
import type { RunDeps } from "./start-run.ts";

/** The whole answer of an agent that has nothing to say: it is delivered nowhere. */
const SILENT = "[SILENT]";
const NO_TEXT = "The work is done; the agent wrote no text.";

/**
 * Ends the run of a finished task: its result goes to the targets of the schedule, and the next run that waits is started.
 * Idempotent. Does nothing for a task of no schedule, and for one that is not finished.
 */
export async function finishRun(deps: RunDeps, taskId: string): Promise<void> {
  const found = await runOfTask(deps.db, taskId);
  if (!found || found.run.finishedAt !== null) return;
  const { task, run } = found;
  if (task ? !isTerminal(task.status) : run.startedAt === null) return;
  await endRun(deps, found, await endOf(deps, found));
}

async function endOf(deps: RunDeps, found: OpenRun): Promise<RunEnd> {
  const { task } = found;
  const failed = { status: "failed", isSilent: false, deliveries: [] } as const;
  if (!task) return { ...failed, error: "The run's chat was deleted" };
  if (task.status === "cancelled") return { ...failed, error: "The run was stopped" };
  if (task.status !== "completed") return { ...failed, error: task.error ?? "The run failed" };
  const text = task.response?.trim() ?? "";
  const success = { status: "success", error: null } as const;
  if (text === SILENT) return { ...success, isSilent: true, deliveries: [] };
  const deliveries = await deliverResult(deps, found, { text: text || NO_TEXT, chatId: task.chatId });
  return { ...success, isSilent: false, deliveries };
}
