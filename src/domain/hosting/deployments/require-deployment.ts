import { authorize, type Caller, type Scope } from "#src/domain/access/permissions/index.ts";
import { requireProject, viewerOf } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { deploymentWithRole, type FoundDeployment } from "./queries/requests.ts";

type DeploymentScope = Extract<Scope, `deployment.${string}`>;

const MISSING = "Deployment not found";

/**
 * A deployment that the caller may use in this way: by the role in its project, or, once that is deleted, as the person who
 * requested it. Throws `not_found`, and `forbidden` where the role or the key does not suffice.
 */
export async function requireDeployment(
  deps: { db: Db },
  caller: Caller,
  id: string,
  scope: DeploymentScope,
): Promise<FoundDeployment> {
  const viewer = viewerOf(caller);
  const found = isId(id) ? await deploymentWithRole(deps.db, id, viewer) : undefined;
  if (!found) throw new AppError("not_found", MISSING);
  const { projectId, userId } = found.deployment;
  const outlived = projectId === null && userId === caller.userId && !isBound(caller);
  authorize(
    caller,
    scope,
    { role: outlived ? "admin" : found.role, ...(projectId !== null && { projectId }) },
    MISSING,
  );
  // What an administrator of the installation does in the project of others is noted there.
  if (viewer.isSuperuser && projectId !== null) await requireProject(deps, caller, projectId, scope);
  return found;
}

/** Whether the caller is a key that reaches certain projects only. */
function isBound(caller: Caller): boolean {
  return caller.kind === "key" && caller.projectIds !== null;
}
