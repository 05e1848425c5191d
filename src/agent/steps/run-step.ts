import {
  claimTask,
  closeTask,
  finishTask,
  publishWorking,
  Turn,
} from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { BegunStep } from "#src/platform/objects/task-logs.ts";
import type { ProjectNotices } from "#src/platform/objects/project-notices.ts";
import { endStep } from "./end-step.ts";
import { withPart } from "../turns/kept-parts.ts";
import { failed, Progress } from "./progress.ts";
import { openStep, type ExecutionDeps, type Step } from "./step.ts";
import { takeTurns } from "./take-turns.ts";
import { sealedOfTask } from "../scrubbing/known-secrets.ts";
import { isOfSeveral, signed } from "../context/authors.ts";
import { replayed } from "../context/work-note.ts";

/** How often an executor pings the task log while it waits for a model or a tool. */
const PING_MS = 3_000;

export type StepDeps = ExecutionDeps & { notices: Pick<ProjectNotices, "taskBegan"> };
export type StepOutcome = { kind: "done" } | { kind: "busy"; retryAfterSeconds: number };

/**
 * Executes one step of a task: turns until the answer is final, the task is stopped or has to wait, or the step is over
 * and the next one continues. Idempotent: after a redelivery, out-of-order delivery or crash it continues from the
 * records, or does nothing.
 */
export async function runStep(deps: StepDeps, input: { taskId: string; step: number }): Promise<StepOutcome> {
  const begun = await deps.taskLogs.begin(input.taskId, input.step);
  if (begun.kind === "skip") return { kind: "done" };
  if (begun.kind === "busy") return begun;
  await runBegunStep(deps, { taskId: input.taskId, begun });
  return { kind: "done" };
}

/** Executes a step that the task's log has given to this executor. */
export async function runBegunStep(deps: StepDeps, step: BegunStep): Promise<void> {
  try {
    await execute(deps, step);
  } catch (error) {
    // The step is delivered again. Release the lease, so that the next executor need not wait until this one counts as
    // dead.
    await deps.taskLogs.release(step.taskId, step.begun.generation).catch(() => {});
    throw error;
  }
}

/** Claims a task, and reads the secrets that no output of its run may show in the same round trip. */
function claimWithSecrets(db: Db, taskId: string, generation: number) {
  return claimTask(db, taskId, generation, ...sealedOfTask(db, taskId));
}

async function execute(deps: StepDeps, { taskId, begun }: BegunStep): Promise<void> {
  const claim = await claimWithSecrets(deps.db, taskId, begun.generation);
  // Also told when the step only ends the task, because sockets may not follow a waiting task's events. A failure is
  // only logged: sockets that were not told find the task when they next look.
  const told = claim.current
    ? deps.notices
        .taskBegan(claim.current.project.id, taskId)
        .catch((cause: unknown) => deps.log.warn("sockets were not notified", { task_id: taskId, cause }))
    : undefined;
  try {
    await executeClaimed(deps, { taskId, begun }, claim);
  } finally {
    await told;
  }
}

async function executeClaimed(
  deps: StepDeps,
  { taskId, begun }: BegunStep,
  claim: Awaited<ReturnType<typeof claimWithSecrets>>,
): Promise<void> {
  const { generation } = begun;
  if (!claim.claimed || !claim.current) {
    return closeTask(deps, { taskId, generation, totalUsage: undefined });
  }
  const turns = await Promise.all(
    claim.turns.map(({ turnData }) => withPart(deps.secrets, Turn.parse(turnData))),
  );
  const progress = new Progress(taskId, generation, turns);
  if (begun.kind === "exhausted") {
    const error = `The task made no progress in ${begun.attempts} attempts`;
    return finishTask(deps, progress.ending(), failed(progress, "attempts_exhausted", error));
  }
  const task = claim.current;
  const isShared = isOfSeveral(claim.history, task.task.userId);
  const history = claim.history.map(({ author, ...message }) =>
    replayed(isShared && author ? { ...message, content: signed(message.content, author.name) } : message),
  );
  await executeStep(openStep(deps, { task, isShared, history, sealed: claim.beside, progress, begun }));
}

async function executeStep(step: Step): Promise<void> {
  const { begun, progress } = step;
  // The executor before this one may have died without a word. Later steps belong to a task that is known to be at work.
  const isBeginning = begun.lastEventId === 0 || (begun.restarted && progress.turns.length === 0);
  let told: Promise<void> | undefined;
  const life = setInterval(() => {
    void ping(step);
    if (isBeginning) told ??= tellWorking(step);
  }, PING_MS);
  try {
    await endStep(step, await takeTurns(step));
  } catch (error) {
    step.title.stop();
    throw error;
  } finally {
    clearInterval(life);
    await Promise.all([step.title.end(), step.mcp?.close(), told]);
  }
}

/** Says that the task is still at work. Never throws. */
async function tellWorking({ deps, task }: Step): Promise<void> {
  try {
    await publishWorking(deps, { ...task.task, kind: task.kind });
  } catch (cause) {
    deps.log.warn("no progress is shown", { task_id: task.task.id, cause });
  }
}

/** Tells the log that the executor is alive, and obeys its answer. */
async function ping({ deps, progress, writer }: Step): Promise<void> {
  const { taskId, generation } = progress;
  try {
    writer.heed(await deps.taskLogs.ping(taskId, generation));
  } catch (cause) {
    deps.log.warn("ping failed", { task_id: taskId, cause });
  }
}
