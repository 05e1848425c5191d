import { deploysByTier, type DeployConfig } from "#src/domain/metering/tiers/index.ts";
import { refreshContainers } from "#src/domain/workspaces/containers/index.ts";
import { settleMessage } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { ProjectNotices } from "#src/platform/objects/project-notices.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { notify } from "./executor.ts";
import { saveMessage } from "./save-project.ts";
import {
  forgetIdleWarnings,
  hibernateIdleProjects,
  projectsToSave,
  projectsWithPrograms,
  type Up,
  wantLostPrograms,
  warnIdleProjects,
} from "./queries/sweep.ts";
import type { StoredJob } from "#src/work/job.ts";

/** Most projects in one sweep; the next sweep takes the rest. */
const BATCH = 100;

interface SweepDeps {
  db: Db;
  queue: Pick<Queue, "publishBatch">;
  workspaces: Pick<ProjectWorkspaces, "runtime">;
  notices: ProjectNotices;
  log: Log;
  config: {
    PROJECT_RUNTIME: "embedded" | "host" | "sandbox";
    PROJECT_IDLE_MINUTES: number;
    PROJECT_IDLE_GRACE_MINUTES: number;
  } & DeployConfig;
}

/**
 * Runs once a minute. Warns people of idle projects, hibernates projects that stayed idle after the warning, requests
 * snapshots of changed projects, checks the state of programs, and starts those again whose environment died.
 */
export async function sweepProjects(deps: SweepDeps): Promise<void> {
  const { db, queue, config } = deps;
  const { PROJECT_IDLE_MINUTES: idleMinutes, PROJECT_IDLE_GRACE_MINUTES: graceMinutes } = config;
  // The embedded runtime keeps files where they last and nothing alive that costs: only what was started is put to sleep.
  const isEmbedded = config.PROJECT_RUNTIME === "embedded";
  if (idleMinutes > 0) {
    const most = deploysByTier(config);
    const kinds: readonly Up[] = isEmbedded ? ["running"] : ["running", "notStarted"];
    await forgetIdleWarnings(db);
    const message = `This project has not been used for a while: it will be hibernated in ${graceMinutes} minutes`;
    const notice = { type: "idle_warning", minutes_until_shutdown: graceMinutes, message } as const;
    for (const up of kinds) {
      const warned = await warnIdleProjects(db, idleMinutes, { up, most, limit: BATCH });
      await Promise.all(warned.map((projectId) => notify(deps, projectId, notice)));
      await tellQueue(queue, await hibernateIdleProjects(db, graceMinutes, { up, most, limit: BATCH }));
    }
  }
  if (!isEmbedded) {
    const unsaved = await projectsToSave(db, BATCH);
    await queue.publishBatch(unsaved.map((projectId) => saveMessage(projectId)));
  }
  await lookAfterPrograms(deps);
  await tellQueue(queue, await wantLostPrograms(db, BATCH));
}

/** When the service restarts or an environment dies, the programs of running projects end with it. */
async function lookAfterPrograms({ db, workspaces, log }: SweepDeps): Promise<void> {
  const running = await projectsWithPrograms(db, BATCH);
  await Promise.all(
    running.map((project) =>
      refreshContainers({ db }, project, workspaces.runtime(project.id)).catch((error: unknown) =>
        log.warn("the programs of a project could not be checked", {
          project_id: project.id,
          cause: error,
        }),
      ),
    ),
  );
}

async function tellQueue(queue: SweepDeps["queue"], stored: readonly StoredJob[]): Promise<void> {
  await queue.publishBatch(stored.map(({ key, generation }) => settleMessage(key, generation)));
}
