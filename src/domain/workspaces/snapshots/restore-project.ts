import type { Caller } from "#src/domain/access/permissions/index.ts";
import {
  findSnapshot,
  latestSnapshot,
  restoreSnapshot,
  takeSnapshot,
  type TakeDeps,
} from "#src/domain/workspaces/archives/index.ts";
import { withRuntime, withWritableRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/**
 * Restores a project's files from one of its own snapshots, at once; running programs are not stopped. The folder
 * `keep` stays as it is. Takes a snapshot of the previous files first and returns its hash. A failure changes nothing.
 * Throws as `withWritableRuntime` and `restoreSnapshot` do.
 */
export async function restoreProject(
  deps: RuntimeDeps & TakeDeps,
  caller: Caller,
  input: { project: string; hash: string; keep?: string },
): Promise<{ before: string }> {
  const access = { caller, project: input.project, scope: "snapshot.restore" } as const;
  const { id } = await requireProject(deps, caller, input.project, access.scope);
  const [snapshot] = await findSnapshot(deps.db, id, input.hash);
  if (!snapshot) throw new AppError("not_found", "Snapshot not found");
  return withWritableRuntime(deps, access, async (runtime) => {
    const label = `before the restore of ${input.hash.slice(0, 12)}`;
    const wish = { projectId: id, role: "restore", label, createdBy: caller.userId } as const;
    const { hash } = await takeSnapshot(deps, runtime, wish);
    const keep = input.keep === undefined ? {} : { keep: { folder: input.keep, hash } };
    await restoreSnapshot(deps, runtime, { projectId: id, hash: input.hash, ...keep });
    return { before: hash };
  });
}

/**
 * Recovers a project's files: restores the named snapshot, or without one wakes the project. Returns the action and the
 * hash of the snapshot that the files come from. Throws `unavailable` if there is nothing to restore.
 */
export async function recoverProject(
  deps: RuntimeDeps & TakeDeps,
  caller: Caller,
  input: { project: string; hash: string | undefined },
): Promise<{ action: "restored" | "none"; hash: string | null }> {
  if (input.hash !== undefined) {
    await restoreProject(deps, caller, { project: input.project, hash: input.hash });
    return { action: "restored", hash: input.hash };
  }
  const access = { caller, project: input.project, scope: "snapshot.restore" } as const;
  return withRuntime(deps, access, async (runtime, { id }) => {
    // Any use of the files wakes a sleeping project.
    await runtime.list("", { recursive: false });
    return { action: "none", hash: (await latestSnapshot(deps, id))?.hash ?? null };
  });
}
