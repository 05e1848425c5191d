import { deleteSnapshots } from "#src/domain/workspaces/archives/index.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { defineJob } from "#src/work/job.ts";
import { removalDone, removalFailed } from "./queries/removal.ts";
import { workspaceLeft } from "./workspace-left.ts";

/** What the files of a deleted project are removed with. */
export interface RemovalDeps {
  db: Db;
  workspaces: Pick<ProjectWorkspaces, "destroy">;
  archives: ArchiveStore;
}

/**
 * Removes the files and snapshots of a deleted project. The job is stored by the transaction that deletes the project's row:
 * no request can reach the files any more, so none is written during their removal. Its background task ends with it.
 */
export const destroyWorkspace = defineJob(workspaceLeft, {
  pauses: [10, 60, 300, 1800, 7200],
  run: async (deps: RemovalDeps, { payload: { projectId, slug } }) => {
    await deps.workspaces.destroy(projectId);
    await deleteSnapshots(deps, projectId);
    return { kind: "done", writes: [removalDone(projectId, slug)] };
  },
  onGivingUp: (projectId, error) => [removalFailed(projectId, error)],
});
