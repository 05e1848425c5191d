import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject, viewerOf } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import {
  deploymentsOfProject,
  deploymentsOfUser,
  type Deployment,
  type DeploymentFilter,
} from "./queries/requests.ts";

/** A project's deployments, newest first. Throws as `requireProject` does. */
export async function listOfProject(
  deps: { db: Db },
  caller: Caller,
  project: string,
  filter: DeploymentFilter,
): Promise<Deployment[]> {
  const { id } = await requireProject(deps, caller, project, "deployment.view");
  return deploymentsOfProject(deps.db, id, filter);
}

/** The deployments that the caller requested, newest first, those of deleted projects included. */
export async function listOwn(
  deps: { db: Db },
  caller: Caller,
  filter: DeploymentFilter,
): Promise<Deployment[]> {
  const projectIds = caller.kind === "key" ? caller.projectIds : null;
  const rows = await deploymentsOfUser(deps.db, viewerOf(caller), { ...filter, projectIds });
  return rows.map(({ deployment }) => deployment);
}
