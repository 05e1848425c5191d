import type { Caller, Scope } from "#src/domain/access/permissions/index.ts";
import { requireProject, type OpenProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { containerOf, type Container } from "./queries.ts";

/** A container as a request path names it. */
export interface ContainerPath {
  /** Id or slug of the project. */
  project: string;
  container: string;
}

/** A container, and the project it belongs to. */
export interface OpenedContainer {
  project: OpenProject;
  container: Container;
}

type ContainerScope = Extract<Scope, `container.${string}`>;

/** A container of a project. Throws `not_found` if it does not exist or belongs to another project. */
export async function requireContainer(
  deps: { db: Db },
  projectId: string,
  containerId: string,
): Promise<Container> {
  const [container] = isId(containerId) ? await containerOf(deps.db, projectId, containerId) : [];
  if (!container) throw noContainer();
  return container;
}

/**
 * A container and its project, after checking the caller's permission. Throws as `requireProject` and
 * `requireContainer` do.
 */
export async function openContainer(
  deps: { db: Db },
  caller: Caller,
  path: ContainerPath,
  scope: ContainerScope,
): Promise<OpenedContainer> {
  const project = await requireProject(deps, caller, path.project, scope);
  return { project, container: await requireContainer(deps, project.id, path.container) };
}

export function noContainer(): AppError {
  return new AppError("not_found", "Container not found");
}
