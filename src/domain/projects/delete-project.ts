import type { Caller } from "#src/domain/access/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProjectWorkspaces } from "#src/platform/objects/project-workspaces.ts";
import { deleteProjectRow, type Project } from "./queries.ts";
import { requireProject } from "./require-project.ts";

/**
 * Remove a project and all in it. The row goes first: from then on nobody finds the files any more, so none is written
 * behind the back of their removal. Throws as `requireProject` does.
 */
export async function deleteProject(
  deps: { db: Db; workspaces: Pick<ProjectWorkspaces, "destroy"> },
  caller: Caller,
  idOrSlug: string,
): Promise<Project> {
  const project = await requireProject(deps, caller, idOrSlug, "project.delete");
  await deleteProjectRow(deps.db, project.id);
  await deps.workspaces.destroy(project.id);
  return project;
}
