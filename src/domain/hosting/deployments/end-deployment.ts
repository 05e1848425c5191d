import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { publishRuns } from "./deployment-due.ts";
import { requestCancel, requestDeletion, type Deployment } from "./queries/requests.ts";
import { requireDeployment } from "./require-deployment.ts";

interface Deps {
  db: Db;
  queue: Pick<Queue, "publishBatch">;
  log: Log;
}

/**
 * Requests the end of a deployment that is under way. The provider decides whether it is in time. Throws `conflict` for one
 * that is over, and as `requireDeployment` does.
 */
export async function cancelDeployment(deps: Deps, caller: Caller, id: string): Promise<Deployment> {
  const { deployment } = await requireDeployment(deps, caller, id, "deployment.create");
  const due = await requestCancel(deps.db, deployment.id);
  if (due.length === 0) throw new AppError("conflict", "The deployment is over already");
  await publishRuns(deps, due);
  return (await requireDeployment(deps, caller, id, "deployment.view")).deployment;
}

/**
 * Notes that a deployment is to be deleted, also in the log of its project's team; of the live one, the site is taken down.
 * Idempotent. Throws as `requireDeployment` does.
 */
export async function deleteDeployment(
  deps: Deps,
  caller: Caller,
  id: string,
  client?: Client,
): Promise<void> {
  const scope = "deployment.delete";
  const { deployment } = await requireDeployment(deps, caller, id, scope);
  const { projectId } = deployment;
  const project = projectId === null ? undefined : await requireProject(deps, caller, projectId, scope);
  const entry = project && {
    userId: caller.userId,
    teamId: project.teamId,
    projectId: project.id,
    action: "deployment.deleted",
    resourceType: "deployment",
    resourceId: deployment.id,
    client,
  };
  const due = await requestDeletion(deps.db, deployment.id, entry);
  await publishRuns(deps, due);
}
