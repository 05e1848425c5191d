import { settleMessage, type Project } from "#src/domain/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { startEnvironment, stopEnvironment } from "./environment.ts";
import { notify, type Executor, type SettleDeps } from "./executor.ts";
import { bringFilesBack, noteLoss, putFilesAway } from "./files.ts";
import { Lease, OvertakenError, SupersededError } from "./lease.ts";
import { claimProject, finishWay, giveUpWay, releaseLease } from "./queries/way.ts";
import type { Wanted } from "./queries/wishes.ts";
import { setUp } from "./set-up.ts";

/** Executors in a row that may fail before the project stays where it is. */
const MAX_ATTEMPTS = 3;

/** Times the wish may change under one executor; the sweep gives what is left to another one. */
const MAX_CHANGES = 20;

/** Between two attempts, times the number of those that failed. */
const PAUSE_SECONDS = 2;

/**
 * Bring a project to the state that is wanted of it, part by part. Delivered twice, or while another executor is alive, it
 * does nothing; after a crash it finds out from the row and from the files what is behind. Answers after how many seconds
 * to ask again when another one is at work, who may have died.
 */
export async function settleProject(deps: SettleDeps, projectId: string): Promise<number | undefined> {
  const { claimed, busySeconds } = await claimProject(deps.db, projectId);
  if (!claimed) return busySeconds;
  const lease = new Lease(deps, claimed);
  const executor = {
    deps,
    lease,
    generation: claimed.generation,
    runtime: deps.workspaces.runtime(projectId),
  };
  try {
    await goTheWay(executor, claimed).catch((error: unknown) => failed(executor, error));
  } catch (error) {
    // What is left to do is the newer executor's, or nobody's.
    if (!(error instanceof SupersededError)) throw error;
  } finally {
    lease.end();
  }
  return undefined;
}

async function goTheWay(executor: Executor, claimed: Project): Promise<void> {
  if (claimed.attempts > MAX_ATTEMPTS)
    throw new AppError("conflict", "The work was interrupted again and again");
  let project = claimed;
  for (let change = 0; change < MAX_CHANGES && project.wanted; change += 1) {
    const finished = await goTowards(executor, project, project.wanted).catch((error: unknown) => {
      if (error instanceof OvertakenError) return false;
      throw error;
    });
    if (finished) return;
    // Something else is wanted by now, or another container: the rest of the way begins where this one ended.
    project = await executor.lease.renew();
  }
  await releaseLease(executor.deps.db, project);
  await executor.deps.queue.publish(settleMessage(project.id, PAUSE_SECONDS));
}

/** All parts of one way. Answers whether the project is there; it is not when the wish has changed. */
async function goTowards(executor: Executor, begun: Project, wanted: Wanted): Promise<boolean> {
  if (begun.status === "initializing") {
    await setUp(executor, begun);
    return wanted === "stopped" && finish(executor, begun, wanted, {});
  }
  return wanted === "hibernated" ? hibernate(executor, begun) : wake(executor, begun, wanted);
}

async function hibernate(executor: Executor, begun: Project): Promise<boolean> {
  const { deps, runtime } = executor;
  const { state, lost } = await runtime.storageState();
  if (lost) await noteLoss(executor, begun);
  if (state !== "absent") {
    await notify(deps, begun.id, { type: "environment_stopping", message: "The project is being stopped" });
    const project = await stopEnvironment(executor, begun);
    if (!(await putFilesAway(executor, project))) return false;
  }
  const hibernated = {
    status: "hibernated",
    startedAt: null,
    hibernatedAt: new Date(),
    idleWarnedAt: null,
  } as const;
  if (!(await finish(executor, begun, "hibernated", hibernated))) return false;
  await notify(deps, begun.id, {
    type: "environment_stopped",
    reason: begun.idleWarnedAt ? "idle" : "stopped",
    message: "The project is hibernated; its files are kept",
  });
  return true;
}

async function wake(executor: Executor, begun: Project, wanted: "running" | "stopped"): Promise<boolean> {
  const { runtime, generation, lease } = executor;
  let project = begun;
  const storage = await runtime.storageState();
  if (storage.state === "absent") {
    project = await bringFilesBack(executor, project, storage);
    if (project.wanted !== wanted) return false;
  } else {
    // Also where nothing is frozen: from here on no older executor can freeze.
    await runtime.thaw(generation);
  }
  if (wanted === "running") {
    const failure = await startEnvironment(executor, project);
    // What this way has found out before stays said.
    const error = [project.error, failure].filter((sentence) => sentence !== null).join("; ") || null;
    const startedAt = project.startedAt ?? new Date();
    return finish(executor, project, wanted, { status: "running", startedAt, hibernatedAt: null, error });
  }
  if (project.status === "running") project = await stopEnvironment(executor, await lease.renew());
  const stopped = { status: "stopped", startedAt: null, hibernatedAt: null } as const;
  return finish(executor, project, wanted, stopped);
}

async function finish(
  { deps }: Executor,
  project: Project,
  wanted: Wanted,
  change: Parameters<typeof finishWay>[3],
): Promise<boolean> {
  return (await finishWay(deps.db, project, wanted, change)) !== undefined;
}

/** Try again a little later, or, where that is of no use, stay where the project is and say why. */
async function failed({ deps, runtime, generation, lease }: Executor, error: unknown): Promise<void> {
  const project = await lease.renew();
  const isFinal = error instanceof AppError && !error.retryable;
  if (!project.wanted) return;
  if (!isFinal && project.attempts < MAX_ATTEMPTS) {
    deps.log.warn("a project is tried again", { project_id: project.id, cause: error });
    await releaseLease(deps.db, project);
    await deps.queue.publish(settleMessage(project.id, PAUSE_SECONDS * Math.max(1, project.attempts)));
    return;
  }
  deps.log.error("a project was given up", { project_id: project.id, wanted: project.wanted, cause: error });
  await runtime.thaw(generation).catch(() => undefined);
  const reason = error instanceof AppError ? error.message : "An internal error occurred";
  const sentence = `${FAILURES[project.wanted](project)}: ${reason}`;
  const given = await giveUpWay(deps.db, project, { wanted: project.wanted, error: sentence });
  if (given) return;
  // Something else is wanted by now.
  await releaseLease(deps.db, project);
  await deps.queue.publish(settleMessage(project.id));
}

const FAILURES: Record<Wanted, (project: Project) => string> = {
  running: ({ status }) =>
    status === "initializing" ? "The project could not be set up" : "The project could not be started",
  stopped: ({ status }) =>
    status === "initializing"
      ? "The project could not be set up"
      : status === "hibernated"
        ? "The project could not be woken"
        : "The project could not be stopped",
  hibernated: () => "The project could not be hibernated; its files are as they were",
};
