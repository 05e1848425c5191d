import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject, type OpenProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { connectionsOf, containersOf, type Connection, type Container } from "./queries.ts";
import { isProgramThatRuns, refreshContainers } from "./stop-containers.ts";

/** A project's containers and what belongs to them. */
export interface ProjectContainers {
  project: OpenProject;
  containers: Container[];
  connections: Connection[];
}

/** The containers of a project, oldest first. Throws as `requireProject` does. */
export async function listContainers(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
): Promise<ProjectContainers> {
  const project = await requireProject(deps, caller, idOrSlug, "container.view");
  return withContainers(deps, project);
}

/** As `listContainers`, after the access check. One round trip. */
export async function withContainers({ db }: { db: Db }, project: OpenProject): Promise<ProjectContainers> {
  const [containers, connections] = await db.batch([
    containersOf(db, project.id),
    connectionsOf(db, project.id),
  ]);
  return { project, containers, connections };
}

/**
 * As `listContainers`, after comparing the stored states with the running programs; if the runtime does not respond,
 * with the stored states.
 */
export async function watchContainers(
  deps: { db: Db; workspaces: Pick<ProjectWorkspaces, "runtime"> },
  caller: Caller,
  idOrSlug: string,
): Promise<ProjectContainers> {
  const stored = await listContainers(deps, caller, idOrSlug);
  const { project } = stored;
  if (!stored.containers.some(isProgramThatRuns)) return stored;
  try {
    await refreshContainers(deps, project, deps.workspaces.runtime(project.id));
  } catch (error) {
    if (error instanceof AppError && error.retryable) return stored;
    throw error;
  }
  return { ...stored, containers: await containersOf(deps.db, project.id) };
}
