import type { Project } from "#src/domain/workspaces/projects/index.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { GitHosts } from "#src/platform/git-hosts/git-host.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { ProjectNotice, ProjectNotices } from "#src/platform/objects/project-notices.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { Lease } from "./lease.ts";
import { recordProgress } from "./queries/transition.ts";

export interface SettleDeps {
  db: Db;
  queue: Pick<Queue, "publish">;
  workspaces: Pick<ProjectWorkspaces, "runtime">;
  archives: ArchiveStore;
  secrets: Secrets;
  gitHosts: GitHosts;
  deploymentSecrets: Secrets;
  notices: ProjectNotices;
  log: Log;
  config: {
    MAX_SNAPSHOTS_PER_PROJECT: number;
    SNAPSHOT_RETENTION_DAYS: number;
    GIT_CLONE_TIMEOUT_SECONDS: number;
  };
}

/** One executor at work on one project. */
export interface Executor {
  deps: SettleDeps;
  lease: Lease;
  generation: number;
  runtime: ProjectRuntime;
}

/** Records the current step, for clients that poll the status. */
export async function report(
  { deps }: Executor,
  project: Project,
  progress: { percentage: number; message: string },
): Promise<void> {
  await recordProgress(deps.db, project, progress);
  await notify(deps, project.id, {
    container_status: project.wanted === "hibernated" ? "stopping" : "starting",
    phase: progress.message,
    progress: progress.percentage,
    message: progress.message,
  });
}

/** Notifies the sockets, on a best-effort basis. */
export async function notify(
  { notices, log }: Pick<SettleDeps, "notices" | "log">,
  projectId: string,
  notice: ProjectNotice,
): Promise<void> {
  await notices
    .send(projectId, notice)
    .catch((cause: unknown) => log.warn("a notice was not sent", { project_id: projectId, cause }));
}
