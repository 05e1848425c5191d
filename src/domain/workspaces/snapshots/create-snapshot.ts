import type { Caller } from "#src/domain/access/permissions/index.ts";
import { takeSnapshot, type TakeDeps } from "#src/domain/workspaces/archives/index.ts";
import { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

const DEFAULT_LABEL = "Checkpoint";

/** Takes a snapshot of a project's current files; wakes a sleeping project. Throws as `withRuntime` does. */
export async function createSnapshot(
  deps: RuntimeDeps & TakeDeps,
  caller: Caller,
  input: { project: string; label: string },
): Promise<{ projectId: string; hash: string; label: string }> {
  const label = input.label === "" ? DEFAULT_LABEL : input.label;
  const access = { caller, project: input.project, scope: "snapshot.create" } as const;
  return withRuntime(deps, access, async (runtime, { id }) => {
    const wish = { projectId: id, role: "checkpoint", label, createdBy: caller.userId } as const;
    const { hash } = await takeSnapshot(deps, runtime, wish);
    return { projectId: id, hash, label };
  });
}
