import type { Caller, Scope } from "#src/domain/access/index.ts";
import { requireProject, touchProject } from "#src/domain/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProjectWorkspaces } from "#src/platform/objects/project-workspaces.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";

interface Deps {
  db: Db;
  workspaces: Pick<ProjectWorkspaces, "runtime">;
}

type FileScope = Extract<Scope, `file.${string}`>;

/** The files of a project, for a caller who may read them. Throws as `requireProject` does. */
export async function openFiles(
  deps: Deps,
  caller: Caller,
  idOrSlug: string,
): Promise<{ projectId: string; runtime: ProjectRuntime }> {
  const { id } = await requireProject(deps, caller, idOrSlug, "file.read");
  return { projectId: id, runtime: deps.workspaces.runtime(id) };
}

/** Change a project's files, for a caller who may, and note the activity once the change has succeeded. */
export async function changeFiles<T>(
  deps: Deps,
  access: { caller: Caller; project: string; scope: FileScope },
  change: (runtime: ProjectRuntime) => Promise<T>,
): Promise<T> {
  const { id } = await requireProject(deps, access.caller, access.project, access.scope);
  const result = await change(deps.workspaces.runtime(id));
  await touchProject(deps.db, id);
  return result;
}
