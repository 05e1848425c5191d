import type { Caller, Scope } from "#src/domain/access/permissions/index.ts";
import { withRuntime, withWritableRuntime, type WakeDeps } from "#src/domain/workspaces/lifecycle/index.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";

type Deps = WakeDeps & { workspaces: Pick<ProjectWorkspaces, "runtime"> };

type FileScope = Extract<Scope, `file.${string}`>;

/** The files of a project, after checking that the caller may read them. Throws as `withRuntime` does. */
export async function openFiles(
  deps: Deps,
  caller: Caller,
  idOrSlug: string,
): Promise<{ projectId: string; runtime: ProjectRuntime }> {
  const access = { caller, project: idOrSlug, scope: "file.read" } as const;
  return withRuntime(deps, access, async (runtime, { id }) => ({ projectId: id, runtime }));
}

/**
 * Changes a project's files, after checking that the caller may. Throws as `withWritableRuntime` does.
 */
export async function changeFiles<T>(
  deps: Deps,
  access: { caller: Caller; project: string; scope: FileScope },
  change: (runtime: ProjectRuntime) => Promise<T>,
): Promise<T> {
  return withWritableRuntime(deps, access, change);
}
