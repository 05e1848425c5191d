import type { Caller, Scope } from "#src/domain/access/permissions/index.ts";
import { requireNoClone } from "#src/domain/source-control/repositories/index.ts";
import { requireProject, touchProject, type OpenProject } from "#src/domain/workspaces/projects/index.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { awake, awakeRuntime, REQUEST_PATIENCE_MS, type WakeDeps } from "./awake.ts";
import { requireFirstFiles } from "./request-state.ts";

/**
 * Calls a function with the project's runtime, after checking the caller's permission. Wakes a sleeping project, for which
 * the caller waits. Throws as `requireProject` and `awake` do, and `conflict` before the project has files.
 */
export async function withRuntime<T>(
  deps: WakeDeps & { workspaces: Pick<ProjectWorkspaces, "runtime"> },
  access: { caller: Caller; project: string; scope: Scope },
  act: (runtime: ProjectRuntime, project: OpenProject) => Promise<T>,
): Promise<T> {
  const project = await requireProject(deps, access.caller, access.project, access.scope);
  requireFirstFiles(project);
  // Wakes before the first call, because the body of an upload can be read only once.
  if (project.status === "hibernated") await awake(deps, project.id, { timeoutMs: REQUEST_PATIENCE_MS });
  return act(awakeRuntime(deps, project.id), project);
}

/**
 * As `withRuntime`, for what may change the project's files, and counts as a use of the project. Also throws `conflict`
 * while a clone is about to replace them.
 */
export async function withWritableRuntime<T>(
  deps: WakeDeps & { workspaces: Pick<ProjectWorkspaces, "runtime"> },
  access: { caller: Caller; project: string; scope: Scope },
  act: (runtime: ProjectRuntime, project: OpenProject) => Promise<T>,
): Promise<T> {
  return withRuntime(deps, access, async (runtime, project) => {
    await requireNoClone(deps.db, project.id);
    // Nothing is hibernated in the middle: the warning comes long before, and the longest command is shorter.
    if (project.idleWarnedAt !== null) await touchProject(deps.db, project.id);
    const result = await act(runtime, project);
    await touchProject(deps.db, project.id);
    return result;
  });
}
