import {
  latestSnapshot,
  restoreSnapshot,
  takeSnapshot,
  type Snapshot,
} from "#src/domain/workspaces/archives/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { StorageState } from "#src/platform/runtime/project-storage.ts";
import type { Executor } from "./executor.ts";

/**
 * Moves the files into a snapshot. They are removed only if this executor froze them, the snapshot of that state is
 * recorded, and the wanted state has not changed.
 */
export async function putFilesAway(executor: Executor): Promise<void> {
  const { deps, runtime, generation, project, signal } = executor;
  await executor.report({ percentage: 50, message: "Saving files" });
  await runtime.freeze(generation);
  await takeSnapshot(deps, runtime, {
    projectId: project.id,
    role: "hibernation",
    label: "hibernation",
    // The snapshot of a superseded executor must not become the newest one.
    generation,
    signal,
  });
  await executor.store();
  await runtime.discard(generation);
}

/** Removes the files that a failed setup has left, and with them the runtime. */
export async function removeFiles({ runtime, generation }: Executor): Promise<void> {
  if ((await runtime.storageState()).state === "absent") return;
  await runtime.freeze(generation);
  await runtime.discard(generation);
}

/**
 * Restores absent files from the snapshot that they were moved into, or, if they were lost, from the newest one. Throws
 * `FilesLostError` when there is none.
 */
export async function bringFilesBack(
  executor: Executor,
  { lost }: Pick<StorageState, "lost">,
): Promise<void> {
  const { deps, runtime, generation } = executor;
  const { id: projectId } = executor.project;
  const snapshot =
    (lost ? undefined : await latestSnapshot(deps, projectId, "hibernation")) ??
    (await latestSnapshot(deps, projectId));
  if (!snapshot) throw new FilesLostError(lost === true);
  if (lost) await tellLoss(executor, snapshot);
  await executor.report({ percentage: 25, message: "Restoring files" });
  await executor.notify({ type: "volume_restoring", message: "The project is waking up" });
  await restoreSnapshot(deps, runtime, { projectId, hash: snapshot.hash, generation });
  await executor.notify({ type: "volume_ready", message: "The project's files are restored" });
  await executor.store({ change: { status: "stopped", hibernatedAt: null }, isProgress: true });
}

/** Records in the project's `error` what was lost with its container. Throws `FilesLostError` when no snapshot is left. */
export async function noteLoss(executor: Executor): Promise<void> {
  const snapshot = await latestSnapshot(executor.deps, executor.project.id);
  if (!snapshot) throw new FilesLostError(true);
  await tellLoss(executor, snapshot);
}

/** Recorded before the restore: restored files no longer count as lost, and a crash must not hide the loss. */
async function tellLoss(executor: Executor, snapshot: Snapshot): Promise<void> {
  const error = lossOf(snapshot);
  // Once, as it is progress.
  if (executor.project.error !== error) await executor.store({ change: { error }, isProgress: true });
}

const LOST = "The project's container ended unexpectedly";

function lossOf(snapshot: Pick<Snapshot, "createdAt">): string {
  return `${LOST}: changes after its snapshot of ${snapshot.createdAt.toISOString()} are lost`;
}

/** The project's files are gone and in no snapshot. No retry can help: a person chooses how the project starts again. */
export class FilesLostError extends AppError {
  constructor(withContainer: boolean) {
    const what = withContainer
      ? `${LOST} before there was a snapshot of its files`
      : "The project's files are lost";
    super("conflict", `${what}. Choose whether the project starts empty or from its repository`);
  }
}
