import type { Caller } from "#src/domain/access/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProjectWorkspaces } from "#src/platform/objects/project-workspaces.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { deleteProjectRow, projectExists, type Project } from "./queries.ts";
import { requireProject } from "./require-project.ts";

/** Until then the request has deleted the row, or has failed. */
const SECOND_LOOK_SECONDS = 60;

interface Removal {
  db: Db;
  workspaces: Pick<ProjectWorkspaces, "destroy">;
}

/**
 * Remove a project and all in it. The row goes first: from then on nobody finds the files any more, so none is written
 * behind the back of their removal. A second look, published before, removes the files of a project whose deletion was
 * cut off in between. Throws as `requireProject` does.
 */
export async function deleteProject(
  deps: Removal & { queue: Pick<Queue, "publish"> },
  caller: Caller,
  idOrSlug: string,
): Promise<Project> {
  const project = await requireProject(deps, caller, idOrSlug, "project.delete");
  await deps.queue.publish({
    function: "destroy-workspace",
    payload: { projectId: project.id },
    delaySeconds: SECOND_LOOK_SECONDS,
  });
  await deleteProjectRow(deps.db, project.id);
  await deps.workspaces.destroy(project.id);
  return project;
}

/** Remove the files of a project that is no more; one that is still there keeps them. Safe to repeat. */
export async function destroyWorkspace(deps: Removal, projectId: string): Promise<void> {
  const [row] = await projectExists(deps.db, projectId);
  if (!row) await deps.workspaces.destroy(projectId);
}
