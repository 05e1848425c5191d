import { stateWanted, type Project } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { defineJob, type Outcome } from "#src/work/job.ts";
import { startEnvironment, stopEnvironment } from "./environment.ts";
import { Executor, type SettleAttempt, type SettleDeps } from "./executor.ts";
import { bringFilesBack, FilesLostError, noteLoss, putFilesAway, removeFiles } from "./files.ts";
import { givenUp, nextGeneration, reached, readProject, type StageChange } from "./queries/transition.ts";
import { STOP_FAILURE, type Wanted } from "./queries/wishes.ts";
import { setUp } from "./set-up.ts";

/**
 * Brings a project to its wanted state, stage by stage. After a crash the row and the files show which stages are done. When
 * another state is wanted meanwhile, the next attempt begins where this one ended.
 */
export const settleProject = defineJob(stateWanted, {
  pauses: [2, 4],
  begin: nextGeneration,
  read: readProject,
  run: (deps: SettleDeps, attempt) => execute(deps, attempt, goTowards),
  interrupted: (deps: SettleDeps, attempt) =>
    execute(deps, attempt, async () => {
      throw new AppError("conflict", "The work was interrupted too many times");
    }),
});

async function execute(
  deps: SettleDeps,
  attempt: SettleAttempt,
  go: (executor: Executor) => Promise<Outcome>,
): Promise<Outcome> {
  const [project] = attempt.read;
  if (!project || !isWanted(project)) return { kind: "done" };
  const executor = new Executor(deps, attempt, project);
  try {
    return await go(executor);
  } catch (error) {
    if (attempt.signal.aborted) throw error;
    // A failure ends the transition that failed, never another one that was requested meanwhile.
    if (executor.signal.aborted) return { kind: "later", seconds: 0 };
    const canHelp = !(error instanceof AppError) || error.retryable;
    if (canHelp && !attempt.isLast) throw error;
    return giveUp(executor, error);
  }
}

const isWanted = (project: Project): project is Project & { wanted: Wanted } => project.wanted !== null;

/** Runs all stages of one transition. */
async function goTowards(executor: Executor): Promise<Outcome> {
  const { wanted } = executor;
  if (executor.project.status === "initializing") {
    await setUp(executor);
    if (wanted === "stopped") return finish(executor, {});
  }
  if (wanted !== "hibernated") return wake(executor);
  return executor.project.status === "failed" ? removeFailed(executor) : hibernate(executor);
}

/** Ends what a failed setup has left. It still counts as failed. */
async function removeFailed(executor: Executor): Promise<Outcome> {
  await removeFiles(executor);
  return finish(executor, { hibernatedAt: new Date(), idleWarnedAt: null });
}

async function hibernate(executor: Executor): Promise<Outcome> {
  const { state, lost } = await executor.runtime.storageState();
  if (lost) await noteLoss(executor);
  if (state !== "absent") {
    await executor.notify({ type: "environment_stopping", message: "The project is being stopped" });
    await stopEnvironment(executor);
    await putFilesAway(executor);
  }
  const reason = executor.project.idleWarnedAt ? "idle" : "stopped";
  const outcome = finish(executor, {
    status: "hibernated",
    startedAt: null,
    hibernatedAt: new Date(),
    idleWarnedAt: null,
  });
  const message = "The project is hibernated; its files are kept";
  const afterwards = () => executor.notify({ type: "environment_stopped", reason, message });
  return { ...outcome, afterwards };
}

async function wake(executor: Executor): Promise<Outcome> {
  const { runtime, generation, wanted } = executor;
  const storage = await runtime.storageState();
  if (storage.state === "absent") {
    await bringFilesBack(executor, storage);
  } else {
    // Also when nothing is frozen: from here on no older executor can freeze the files.
    await runtime.thaw(generation);
  }
  if (wanted === "running") {
    const failure = await startEnvironment(executor);
    const { project } = executor;
    // Keeps an error that an earlier stage of this transition has recorded.
    const error = [project.error, failure].filter((sentence) => sentence !== null).join("; ") || null;
    const startedAt = project.startedAt ?? new Date();
    return finish(executor, { status: "running", startedAt, hibernatedAt: null, error });
  }
  if (executor.project.status === "running") await stopEnvironment(executor);
  return finish(executor, { status: "stopped", startedAt: null, hibernatedAt: null });
}

function finish({ deps, project, wanted }: Executor, change: StageChange): Outcome {
  return { kind: "done", writes: reached(deps.db, project.id, wanted, change) };
}

/** Records the reason of a failure where no retry can help. The project's people are told, so the job is done. */
async function giveUp(executor: Executor, error: unknown): Promise<Outcome> {
  const { deps, runtime, generation, project, wanted } = executor;
  await runtime.thaw(generation).catch(() => undefined);
  const reason = error instanceof AppError ? error.message : "An internal error occurred";
  const isLost = error instanceof FilesLostError;
  const sentence = isLost ? reason : `${FAILURES[wanted](project)}: ${reason}`;
  return {
    kind: "done",
    writes: givenUp(deps.db, project.id, { error: sentence, isLost }),
    afterwards: async () =>
      deps.log.error("a project's transition was given up", { project_id: project.id, wanted, cause: error }),
  };
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
