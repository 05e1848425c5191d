import type { Caller } from "#src/domain/access/permissions/index.ts";
import { endTask, requireBackgroundTask } from "#src/domain/workspaces/background-tasks/index.ts";
import { setContainersWanted } from "#src/domain/workspaces/containers/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { cancelSetUp } from "./queries/wishes.ts";

/**
 * Cancels a background task. A project whose creation is cancelled has no files until a person starts it; a container whose
 * start is cancelled does not start. Throws as `requireBackgroundTask` does, and `invalid_input` for a task that has ended
 * or cannot be cancelled.
 */
export async function cancelBackgroundTask(
  deps: { db: Db },
  caller: Caller,
  taskId: string,
): Promise<string> {
  const task = await requireBackgroundTask(deps, caller, taskId);
  if (task.type === "project_deletion") throw new AppError("invalid_input", "A deletion cannot be cancelled");
  const [ended] = await endTask(deps.db, task.id, { status: "cancelled", error: "Cancelled" });
  if (!ended) throw new AppError("invalid_input", "The task has already ended");
  if (task.type === "project_creation") await cancelSetUp(deps.db, task.projectId);
  else if (task.containerId !== null) {
    await setContainersWanted(deps, task.projectId, false, [task.containerId]);
  }
  return task.id;
}
