import type { Caller } from "#src/domain/access/index.ts";
import { endTask, requireBackgroundTask } from "#src/domain/background-tasks/index.ts";
import { setContainersWanted } from "#src/domain/containers/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { cancelSetUp } from "./queries/wishes.ts";

/**
 * Cancel work in the background: a project that is being made has no files then, until somebody starts it; a container
 * that was to start does not. Throws as `requireBackgroundTask` does, and `invalid_input` for what is over, or cannot be
 * taken back.
 */
export async function cancelBackgroundTask(
  deps: { db: Db },
  caller: Caller,
  taskId: string,
): Promise<string> {
  const task = await requireBackgroundTask(deps, caller, taskId);
  if (task.type === "project_deletion") throw new AppError("invalid_input", "A deletion cannot be cancelled");
  const [ended] = await endTask(deps.db, task.id, { status: "cancelled", error: "Cancelled" });
  if (!ended) throw new AppError("invalid_input", "The task is over already");
  if (task.type === "project_creation") await cancelSetUp(deps.db, task.projectId);
  else if (task.containerId !== null) {
    await setContainersWanted(deps, task.projectId, false, [task.containerId]);
  }
  return task.id;
}
