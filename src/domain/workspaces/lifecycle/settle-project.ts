import { settleMessage, type Project } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { startEnvironment, stopEnvironment } from "./environment.ts";
import { notify, type Executor, type SettleDeps } from "./executor.ts";
import { bringFilesBack, FilesLostError, noteLoss, putFilesAway, removeFiles } from "./files.ts";
import { Lease, OvertakenError, SupersededError } from "./lease.ts";
import { claimProject, finishTransition, giveUpTransition, releaseLease } from "./queries/transition.ts";
import { STOP_FAILURE, type Wanted } from "./queries/wishes.ts";
import { setUp } from "./set-up.ts";

/** Consecutive failed executors before the transition is given up. */
const MAX_ATTEMPTS = 3;

/** Changes of the wanted state that one executor follows; the sweep hands the rest to another. */
const MAX_CHANGES = 20;

/** Delay before a retry, multiplied by the number of failed attempts. */
const PAUSE_SECONDS = 2;

/**
 * Brings a project to its wanted state, stage by stage. After a crash the row and the files show which stages are done. A
 * delivery while another executor holds the lease publishes the next one for the lease's end, since that executor may have
 * died: a redelivery would use up the message's retries, and the project would be left to the sweep.
 */
export async function settleProject(deps: SettleDeps, projectId: string): Promise<void> {
  const { claimed, busy } = await claimProject(deps.db, projectId);
  if (busy) {
    const deduplicationId = `settle-${projectId}-${busy.until.getTime()}`;
    await deps.queue.publish(settleMessage(projectId, { delaySeconds: busy.seconds, deduplicationId }));
  }
  if (!claimed) return;
  const lease = new Lease(deps, claimed);
  const executor = {
    deps,
    lease,
    generation: claimed.generation,
    runtime: deps.workspaces.runtime(projectId),
  };
  try {
    await goTheWay(executor, claimed);
  } catch (error) {
    // The newer executor, if there is one, does the rest.
    if (!(error instanceof SupersededError)) throw error;
  } finally {
    lease.end();
  }
}

async function goTheWay(executor: Executor, claimed: Project): Promise<void> {
  let project = claimed;
  for (let change = 0; change < MAX_CHANGES && project.wanted; change += 1) {
    const { wanted } = project;
    const isOver = await goTowards(executor, project, wanted).catch((error: unknown) =>
      error instanceof OvertakenError ? false : failed(executor, wanted, error),
    );
    if (isOver) return;
    // The wanted state has changed, or another container is wanted: the next transition begins where this one ended.
    project = await executor.lease.renew();
  }
  await releaseLease(executor.deps.db, project);
  await executor.deps.queue.publish(settleMessage(project.id, { delaySeconds: PAUSE_SECONDS }));
}

/**
 * Runs all stages of one transition. Returns whether the project reached the wanted state; it does not when the wanted
 * state has changed.
 */
async function goTowards(executor: Executor, begun: Project, wanted: Wanted): Promise<boolean> {
  if (begun.attempts > MAX_ATTEMPTS)
    throw new AppError("conflict", "The work was interrupted too many times");
  if (begun.status === "initializing") {
    await setUp(executor, begun);
    return wanted === "stopped" && finish(executor, begun, wanted, {});
  }
  if (wanted !== "hibernated") return wake(executor, begun, wanted);
  return begun.status === "failed" ? removeFailed(executor, begun) : hibernate(executor, begun);
}

/** Ends what a failed setup has left. It still counts as failed. */
async function removeFailed(executor: Executor, begun: Project): Promise<boolean> {
  await removeFiles(executor);
  return finish(executor, begun, "hibernated", { hibernatedAt: new Date(), idleWarnedAt: null });
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
    // Also when nothing is frozen: from here on no older executor can freeze the files.
    await runtime.thaw(generation);
  }
  if (wanted === "running") {
    const failure = await startEnvironment(executor, project);
    // Keeps an error that an earlier stage of this transition has recorded.
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
  change: Parameters<typeof finishTransition>[3],
): Promise<boolean> {
  return (await finishTransition(deps.db, project, wanted, change)) !== undefined;
}

/**
 * Schedules a retry, or, when a retry cannot help, gives up and records the reason. Returns false when another state is
 * wanted by now: the failure of one transition says nothing about the next one.
 */
async function failed(
  { deps, runtime, generation, lease }: Executor,
  wanted: Wanted,
  error: unknown,
): Promise<boolean> {
  const project = await lease.renew();
  const isFinal = error instanceof AppError && !error.retryable;
  if (!project.wanted) return true;
  if (project.wanted !== wanted) return false;
  if (!isFinal && project.attempts < MAX_ATTEMPTS) {
    deps.log.warn("a project's transition will be retried", { project_id: project.id, cause: error });
    await releaseLease(deps.db, project);
    const delaySeconds = PAUSE_SECONDS * Math.max(1, project.attempts);
    await deps.queue.publish(settleMessage(project.id, { delaySeconds }));
    return true;
  }
  deps.log.error("a project's transition was given up", { project_id: project.id, wanted, cause: error });
  await runtime.thaw(generation).catch(() => undefined);
  const reason = error instanceof AppError ? error.message : "An internal error occurred";
  const isLost = error instanceof FilesLostError;
  const sentence = isLost ? reason : `${FAILURES[wanted](project)}: ${reason}`;
  return (await giveUpTransition(deps.db, project, { wanted, error: sentence, isLost })) !== undefined;
}

const FAILURES: Record<Wanted, (project: Project) => string> = {
  running: ({ status }) =>
    status === "initializing" ? "The project could not be set up" : "The project could not be started",
  stopped: ({ status }) =>
    status === "initializing"
      ? "The project could not be set up"
      : status === "running"
        ? "The project could not be stopped"
        : "The project could not be woken",
  hibernated: () => `${STOP_FAILURE}; its files are unchanged`,
};
