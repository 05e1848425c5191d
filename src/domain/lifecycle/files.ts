import { latestSnapshot, restoreSnapshot, takeSnapshot, type Snapshot } from "#src/domain/archives/index.ts";
import type { Project } from "#src/domain/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { StorageState } from "#src/platform/runtime/project-storage.ts";
import { notify, report, type Executor } from "./executor.ts";
import { recordStep } from "./queries/way.ts";

/**
 * Move the files into a snapshot. They are taken away only when this very executor has frozen them, the snapshot of that
 * state is recorded, and nobody has asked for something else meanwhile. Answers whether they were.
 */
export async function putFilesAway(executor: Executor, project: Project): Promise<boolean> {
  const { deps, runtime, generation, lease } = executor;
  await report(executor, project, { percentage: 50, message: "Saving files" });
  await runtime.freeze(generation);
  await takeSnapshot(deps, runtime, {
    projectId: project.id,
    role: "hibernation",
    label: "hibernation",
    // What a superseded executor has seen must not become the newest snapshot.
    generation,
    signal: lease.signal,
  });
  const { wanted } = await lease.renew();
  if (wanted !== "hibernated") return false;
  await runtime.discard(generation);
  return true;
}

/**
 * Bring absent files back: from the snapshot they were moved into, or, where they were lost, from the newest one. Throws
 * `not_found` where there is none.
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
  if (!snapshot) throw new AppError("not_found", lost ? lossOf(undefined) : NO_SNAPSHOT);
  const project = lost ? await tellLoss(executor, begun, snapshot) : begun;
  await report(executor, project, { percentage: 25, message: "Restoring files" });
  await notify(deps, project.id, { type: "volume_restoring", message: "The project is waking up" });
  await restoreSnapshot(deps, runtime, { projectId: project.id, hash: snapshot.hash, generation });
  await notify(deps, project.id, { type: "volume_ready", message: "The project's files are back" });
  return lease.hold(await recordStep(deps.db, project, { status: "stopped", hibernatedAt: null }));
}

/** Say in the project's `error` that its files were lost: they stay away. */
export async function noteLoss(executor: Executor, project: Project): Promise<Project> {
  return tellLoss(executor, project, await latestSnapshot(executor.deps, project.id));
}

/** Before anything is done about it: files that are back are lost no more, and a crash must not swallow it. */
async function tellLoss(
  { deps, lease }: Executor,
  project: Project,
  snapshot: Snapshot | undefined,
): Promise<Project> {
  const error = lossOf(snapshot);
  // A step counts the attempts anew, so only once.
  if (project.error === error) return project;
  return lease.hold(await recordStep(deps.db, project, { error }));
}

const NO_SNAPSHOT = "The files are gone, and there is no snapshot of them";
const LOST = "The project's container ended unexpectedly";

function lossOf(snapshot: Pick<Snapshot, "createdAt"> | undefined): string {
  if (!snapshot) return `${LOST}, and there is no snapshot to get its files back from`;
  return `${LOST}: what was changed after its snapshot of ${snapshot.createdAt.toISOString()} is lost`;
}
