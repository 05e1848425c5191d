import type { Caller } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { makeBase, type Base, type BaseInput } from "#src/domain/workspaces/bases/index.ts";
import { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** Creates a template from a project's current files. Throws as `withRuntime` does, and `conflict` for a taken slug. */
export async function exportTemplate(
  deps: RuntimeDeps & { archives: ArchiveStore; config: CeilingConfig<"templates"> },
  caller: Caller,
  { project, ...input }: BaseInput & { project: string },
): Promise<Base> {
  const access = { caller, project, scope: "file.read" } as const;
  return withRuntime(deps, access, (runtime) => makeBase(deps, runtime, caller, input));
}
