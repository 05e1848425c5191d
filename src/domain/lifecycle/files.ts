import { latestSnapshot, restoreSnapshot, takeSnapshot } from "#src/domain/archives/index.ts";
import type { Project } from "#src/domain/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { notify, report, type Executor } from "./executor.ts";
import { recordStep } from "./queries.ts";

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

/** Bring the files back from the snapshot they were moved into. */
export async function bringFilesBack(executor: Executor, project: Project): Promise<Project> {
  const { deps, runtime, generation, lease } = executor;
  await report(executor, project, { percentage: 25, message: "Restoring files" });
  await notify(deps, project.id, { type: "volume_restoring", message: "The project is waking up" });
  const snapshot =
    (await latestSnapshot(deps, project.id, "hibernation")) ?? (await latestSnapshot(deps, project.id));
  if (!snapshot) throw new AppError("not_found", "The files are gone, and there is no snapshot of them");
  await restoreSnapshot(deps, runtime, { projectId: project.id, hash: snapshot.hash, generation });
  await notify(deps, project.id, { type: "volume_ready", message: "The project's files are back" });
  return lease.hold(await recordStep(deps.db, project, { status: "stopped", hibernatedAt: null }));
}
