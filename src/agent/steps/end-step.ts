import { isAsking } from "#src/domain/agent-work/approvals/index.ts";
import {
  endOfStopped,
  finishTask,
  goOn,
  publishNextStep,
  publishQuestions,
  taskEvents,
  type TaskEnd,
} from "#src/domain/agent-work/tasks/index.ts";
import { insertCallOfTask } from "#src/domain/metering/usage/index.ts";
import { ModelError } from "#src/models/model.ts";
import { WaitingError } from "../turns/gate.ts";
import { withPart } from "../turns/kept-parts.ts";
import { stoppedTurn, type OpenTurn } from "../turns/stopped-turn.ts";
import { StoppedError, SupersededError } from "./log-writer.ts";
import { failed, outOfCredits, type LastTurn } from "./progress.ts";
import type { Step } from "./step.ts";
import type { BrokenOff, TurnsEnd } from "./take-turns.ts";

/** Ends a step as its turns ended. Throws what broke them off, unless it ends the task or leaves it to another executor. */
export async function endStep(step: Step, ended: TurnsEnd): Promise<void> {
  switch (ended.kind) {
    case "over":
      return finish(step, ended.last, ended.end);
    case "handed over":
      return handOver(step);
    case "broken off":
      return endEarly(step, ended);
  }
}

async function endEarly(step: Step, { error, open }: BrokenOff): Promise<void> {
  const { progress, deps, title, signal } = step;
  const reason: unknown = signal.aborted ? signal.reason : error;
  if (reason instanceof SupersededError) return title.stop();
  if (reason instanceof WaitingError) return wait(step, reason, open);
  if (reason instanceof StoppedError) return stop(step, reason, open);
  if (!(reason instanceof ModelError)) throw reason;
  if (reason.code === "insufficient_credits") return breakOff(step, open, outOfCredits(progress));
  deps.log.warn("model failed", { task_id: progress.taskId, code: reason.code, cause: reason });
  return breakOff(step, open, failed(progress, "model_error", reason.message));
}

/** Ends a task in the middle of a turn. Servers that go on with calls of the turn are told so, which the end does not wait for. */
async function breakOff(step: Step, open: OpenTurn, end: TaskEnd, last: LastTurn = open): Promise<void> {
  const abandoned = step.mcp?.abandon(open.records.untilNow().deferred);
  try {
    await finish(step, last, end);
  } finally {
    await abandoned;
  }
}

async function finish(step: Step, { turn, call }: LastTurn, end: TaskEnd): Promise<void> {
  await step.title.letStepEnd();
  await step.writer.flush();
  const ending = { ...step.progress.ending({ turn, call }), chatSummary: step.chatSummary };
  return finishTask(step.deps, ending, end);
}

/**
 * Publishes the next step: the platform bounds how long one step may run, and the next one continues from the stored turns.
 */
async function handOver({ deps, task, progress, title, writer }: Step): Promise<void> {
  await title.letStepEnd();
  await writer.flush();
  const { taskId, generation } = progress;
  await publishNextStep(deps, { taskId, generation, userId: task.task.userId });
}

/** Parks the task: it has no executor until the approval is decided, or a server is asked again. */
async function wait(
  { deps, task, progress, title, writer }: Step,
  { until, isAsking: asksPerson }: WaitingError,
  { call }: OpenTurn,
): Promise<void> {
  const { taskId, generation } = progress;
  // The reservation is not renewed while the task waits for hours: charge the call now; it is not charged again with its
  // turn.
  if (call && call.cost.input + call.cost.output > 0) {
    const charged = await insertCallOfTask(deps.db, taskId, call);
    writer.add({ events: taskEvents.creditsUsed(charged) });
  }
  await title.letStepEnd();
  await writer.flush();
  if (asksPerson) await publishQuestions(deps, { ...task.task, kind: task.kind });
  await deps.taskLogs.park(taskId, generation, until);
  // An approval decided before the task was parked could not wake it.
  if (asksPerson && !(await isAsking(deps.db, taskId))) await goOn(deps, task.task);
}

/** Stops the task and keeps what its open turn said, did and used. */
async function stop(step: Step, { reason }: StoppedError, open: OpenTurn): Promise<void> {
  const { deps, progress, title, writer, secrets } = step;
  title.stop();
  const records = open.records.untilNow();
  const turn = await stoppedTurn({ ...open, records }, secrets).catch((cause: unknown) => {
    deps.log.warn("a stopped turn is lost", { task_id: progress.taskId, cause });
    return undefined;
  });
  if (turn) {
    progress.turns.push(await withPart(deps.secrets, turn));
    if (!records.ended) {
      writer.add({ events: [taskEvents.agentStep(turn)], records: [records.recordEnd()] });
    }
  }
  return breakOff(step, open, endOfStopped(reason, progress.lastText), { turn, call: open.call });
}
