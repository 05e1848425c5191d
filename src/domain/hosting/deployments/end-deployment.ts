import type { Caller } from "#src/domain/organisations/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { publishRun } from "./messages.ts";
import { requestCancel, requestDeletion, type Deployment } from "./queries/requests.ts";
import { requireDeployment } from "./require-deployment.ts";

interface Deps {
  db: Db;
  queue: Pick<Queue, "publish">;
  log: Log;
}

/**
 * Requests the end of a deployment that is under way. The provider decides whether it is in time. Throws `conflict` for one
 * that is over, and as `requireDeployment` does.
 */
export async function cancelDeployment(deps: Deps, caller: Caller, id: string): Promise<Deployment> {
  const { deployment } = await requireDeployment(deps, caller, id, "deployment.create");
  if (!(await requestCancel(deps.db, deployment.id)))
    throw new AppError("conflict", "The deployment is over already");
  await publishRun(deps, deployment, "cancelled");
  return (await requireDeployment(deps, caller, id, "deployment.view")).deployment;
}

/**
 * Notes that a deployment is to be deleted; of the live one, the site is taken down. Idempotent. Throws as
 * `requireDeployment` does.
 */
export async function deleteDeployment(deps: Deps, caller: Caller, id: string): Promise<void> {
  const { deployment } = await requireDeployment(deps, caller, id, "deployment.delete");
  await requestDeletion(deps.db, deployment.id);
  await publishRun(deps, deployment, `deleted-${Date.now()}`);
}
