import {
  latestSnapshot,
  restoreSnapshot,
  takeSnapshot,
  type Snapshot,
} from "#src/domain/workspaces/archives/index.ts";
import type { Project } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { StorageState } from "#src/platform/runtime/project-storage.ts";
import { notify, report, type Executor } from "./executor.ts";
import { recordStage } from "./queries/transition.ts";

/**
 * Moves the files into a snapshot. They are removed only if this executor froze them, the snapshot of that state is
 * recorded, and the wanted state has not changed. Returns whether they were removed.
 */
export async function putFilesAway(executor: Executor, project: Project): Promise<boolean> {
  const { deps, runtime, generation, lease } = executor;
  await report(executor, project, { percentage: 50, message: "Saving files" });
  await runtime.freeze(generation);
  await takeSnapshot(deps, runtime, {
    projectId: project.id,
    role: "hibernation",
    label: "hibernation",
    // The snapshot of a superseded executor must not become the newest one.
    generation,
    signal: lease.signal,
  });
  const { wanted } = await lease.renew();
  if (wanted !== "hibernated") return false;
  await runtime.discard(generation);
  return true;
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
  begun: Project,
  { lost }: Pick<StorageState, "lost">,
): Promise<Project> {
  const { deps, runtime, generation, lease } = executor;
  const snapshot =
    (lost ? undefined : await latestSnapshot(deps, begun.id, "hibernation")) ??
    (await latestSnapshot(deps, begun.id));
  if (!snapshot) throw new FilesLostError(lost === true);
  const project = lost ? await tellLoss(executor, begun, snapshot) : begun;
  await report(executor, project, { percentage: 25, message: "Restoring files" });
  await notify(deps, project.id, { type: "volume_restoring", message: "The project is waking up" });
  await restoreSnapshot(deps, runtime, { projectId: project.id, hash: snapshot.hash, generation });
  await notify(deps, project.id, { type: "volume_ready", message: "The project's files are restored" });
  return lease.hold(await recordStage(deps.db, project, { status: "stopped", hibernatedAt: null }));
}

/** Records in the project's `error` what was lost with its container. Throws `FilesLostError` when no snapshot is left. */
export async function noteLoss(executor: Executor, project: Project): Promise<Project> {
  const snapshot = await latestSnapshot(executor.deps, project.id);
  if (!snapshot) throw new FilesLostError(true);
  return tellLoss(executor, project, snapshot);
}

/** Recorded before the restore: restored files no longer count as lost, and a crash must not hide the loss. */
async function tellLoss({ deps, lease }: Executor, project: Project, snapshot: Snapshot): Promise<Project> {
  const error = lossOf(snapshot);
  // A recorded stage resets the attempt count, so the error is recorded once.
  if (project.error === error) return project;
  return lease.hold(await recordStage(deps.db, project, { error }));
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
