import type { Caller } from "#src/domain/organisations/access/index.ts";
import {
  findSnapshot,
  latestSnapshot,
  restoreSnapshot,
  takeSnapshot,
  type TakeDeps,
} from "#src/domain/workspaces/archives/index.ts";
import { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { requireProject, touchProject } from "#src/domain/workspaces/projects/index.ts";
import { requireNoClone } from "#src/domain/source-control/repositories/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/**
 * Put a project's files back to a snapshot of its own, at once; what runs goes on. A folder that is to be kept stays as it
 * is. What was there before is a snapshot then, too, whose hash is answered. A failure changes nothing. Throws as `withRuntime` and `restoreSnapshot` do.
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
  const before = await withRuntime(deps, access, async (runtime) => {
    await requireNoClone(deps.db, id);
    const label = `before the restore of ${input.hash.slice(0, 12)}`;
    const wish = { projectId: id, role: "restore", label, createdBy: caller.userId } as const;
    const { hash } = await takeSnapshot(deps, runtime, wish);
    const keep = input.keep === undefined ? {} : { keep: { folder: input.keep, hash } };
    await restoreSnapshot(deps, runtime, { projectId: id, hash: input.hash, ...keep });
    return hash;
  });
  await touchProject(deps.db, id);
  return { before };
}

/**
 * Get a project's files back: those of a snapshot where one is named, else those it has, awake. Answers with what was done
 * and with the snapshot that the files were compared with last. Throws `unavailable` where there is nothing to get back.
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
    // Any use of the files wakes a project that sleeps.
    await runtime.list("", { recursive: false });
    return { action: "none", hash: (await latestSnapshot(deps, id))?.hash ?? null };
  });
}
