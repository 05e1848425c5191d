import type { Outcome } from "#src/work/job.ts";
import { deliverResult } from "./deliver-result.ts";
import { endRun } from "./end-run.ts";
import type { OpenRun } from "./queries/open-run.ts";
import type { RunEnd } from "./queries/progress.ts";
import type { RunDeps } from "./run-deps.ts";

/** The whole answer of an agent that has nothing to say: it is delivered nowhere. */
const SILENT = "[SILENT]";
const NO_TEXT = "The work is done; the agent wrote no text.";

/** Ends the run of a task that has ended, or was deleted: its result goes to the targets of the schedule. */
export async function finishRun(deps: RunDeps, found: OpenRun): Promise<Outcome> {
  return endRun(deps, found, await endOf(deps, found));
}

async function endOf(deps: RunDeps, found: OpenRun): Promise<RunEnd> {
  const { task } = found;
  if (!task) return { status: "failed", error: "The run's chat was deleted" };
  if (task.status === "cancelled") return { status: "failed", error: "The run was stopped" };
  if (task.status !== "completed") return { status: "failed", error: task.error ?? "The run failed" };
  const text = task.response?.trim() ?? "";
  const success = { status: "success", error: null } as const;
  if (text === SILENT) return { ...success, isSilent: true };
  return {
    ...success,
    deliveries: await deliverResult(deps, found, { text: text || NO_TEXT, chatId: task.chatId }),
  };
}
