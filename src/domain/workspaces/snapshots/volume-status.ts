import type { Caller } from "#src/domain/access/permissions/index.ts";
import { latestSnapshot } from "#src/domain/workspaces/archives/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";

export interface VolumeStatus {
  projectId: string;
  status: "healthy" | "restoring" | "unreachable" | "unavailable" | "no_volume";
  message: string | null;
  /** Whether there is a snapshot to restore. */
  recoverable: boolean;
}

/** Where a project's files are. Does not wake the project. Throws as `requireProject` does. */
export async function volumeStatus(
  deps: { db: Db; workspaces: Pick<ProjectWorkspaces, "runtime"> },
  caller: Caller,
  idOrSlug: string,
): Promise<VolumeStatus> {
  const { id, wanted, setUpAt, lostAt, error } = await requireProject(
    deps,
    caller,
    idOrSlug,
    "snapshot.view",
  );
  const recoverable = (await latestSnapshot(deps, id)) !== undefined;
  const told = (status: VolumeStatus["status"], message: string | null) => ({
    projectId: id,
    status,
    message,
    recoverable,
  });
  if (setUpAt === null) return told("no_volume", "The project's initial files are not in place yet");
  if (lostAt !== null) return told("unavailable", error);
  let isLost: boolean;
  try {
    const { state, lost } = await deps.workspaces.runtime(id).storageState();
    if (state !== "absent") return told("healthy", null);
    isLost = lost === true;
  } catch {
    return told("unreachable", "The project's workspace did not answer");
  }
  if (wanted !== null && wanted !== "hibernated") return told("restoring", "The files are being restored");
  if (isLost) {
    return told(
      "unavailable",
      `The project's container ended unexpectedly: ${recoverable ? LOST_SINCE : LOST}`,
    );
  }
  return told("healthy", "The files are in a snapshot, and are restored on their next use");
}

const LOST_SINCE = "changes since its last snapshot are lost, and that snapshot is restored on the next use";
const LOST = "its files are lost, and there is no snapshot of them";
