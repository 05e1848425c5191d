import { chooseModelFor, type ChosenModel } from "#src/domain/models/model-keys/index.ts";
import { PrepaidModel } from "#src/domain/models/prepaid-models/index.ts";
import { storeTurn, taskEvents, type TaskEnd } from "#src/domain/agent-work/tasks/index.ts";
import type { StopReason } from "#src/platform/objects/task-logs.ts";
import { withPart } from "../turns/kept-parts.ts";
import { runTurn, type TurnOutcome } from "../turns/run-turn.ts";
import type { OpenTurn } from "../turns/stopped-turn.ts";
import { TurnRecords } from "../turns/turn-records.ts";
import { leaveStep } from "./leave-step.ts";
import { StoppedError } from "./log-writer.ts";
import { prepareTurns } from "./prepare-turns.ts";
import { endAfter, type LastTurn } from "./progress.ts";
import type { Step } from "./step.ts";
import { turnOfStep } from "./turn-of-step.ts";

/** How the turns of a step ended. */
export type TurnsEnd =
  | { kind: "over"; last: LastTurn; end: TaskEnd }
  /** The task goes on with the next step. */
  | { kind: "handed over" }
  | BrokenOff;

/** What broke the turns off, and the turn that was open then. */
export interface BrokenOff {
  kind: "broken off";
  error: unknown;
  open: OpenTurn;
}

/** Takes one turn after the other until the task or the step is over. Throws nothing. */
export async function takeTurns(step: Step): Promise<TurnsEnd> {
  const { deps, progress } = step;
  let open = nextTurn(step);
  try {
    beginStep(step, open);
    const prepared = await prepareTurns(deps, step.task, step);
    for (;;) {
      // Chosen for each call, so that a deleted key or an expired tier takes effect.
      const model = prepaid(step, await chooseModel(step), open);
      try {
        const ran = await runTurn(await turnOfStep(step, prepared, { model, records: open.records }));
        open = openAfter(ran, model, open);
        if (ran.kind === "broken") throw ran.error;
        step.signal.throwIfAborted();
        const last = { turn: ran.turn, call: open.call };
        progress.turns.push(await withPart(deps.secrets, ran.turn));
        open = { ...nextTurn(step), call: last.call };
        const end = endAfter(progress, ran, { isBounded: model.isBounded, mostTurns: mostTurns(step) });
        if (end) return { kind: "over", last, end };
        const loss = await store(step, last);
        open = { ...open, call: undefined };
        if (loss) throw new StoppedError(loss);
      } finally {
        await model.end();
      }
      if (Date.now() >= step.endsAt || step.writer.writes >= deps.config.STEP_MAX_APPENDS)
        return { kind: "handed over" };
    }
  } catch (error) {
    return { kind: "broken off", error, open };
  }
}

/** Logs how the step began. Throws `StoppedError` for a task that was stopped before. */
function beginStep({ begun, task, progress, writer }: Step, { records }: OpenTurn): void {
  if (begun.stop) throw new StoppedError(begun.stop);
  if (task.loss) throw new StoppedError(task.loss);
  if (begun.lastEventId === 0) writer.add({ events: [taskEvents.taskStarted(progress.taskId)] });
  else if (begun.restarted && !records.answer)
    writer.add({ events: [taskEvents.turnRestarted(records.iteration, "The task was resumed")] });
}

/** The turn after the stored ones, with the records of earlier executors. */
function nextTurn({ progress, begun }: Step): OpenTurn {
  const records = new TurnRecords(progress.turns.length + 1, begun.records);
  return { records, said: "", call: undefined };
}

function openAfter(ran: TurnOutcome, model: PrepaidModel, { records }: OpenTurn): OpenTurn {
  const { usage, said } = ran.kind === "done" ? { usage: ran.answer.usage, said: ran.answer.text } : ran;
  return { records, said, call: usage && model.toCall("agent", usage, records.iteration) };
}

function chooseModel({ deps, task: claimed }: Step): Promise<ChosenModel> {
  const { task, project, agent, disabledModels, isPromptSecret } = claimed;
  const who = { userId: task.userId, teamId: project.teamId, disabledModels, isPromptSecret };
  return chooseModelFor(deps, who, task.model ?? agent.model);
}

/**
 * The model of one turn. The title starts only once a task's first call is sent, or it could use up the credits that the
 * call needs.
 */
function prepaid({ deps, task, progress, title }: Step, chosen: ChosenModel, open: OpenTurn): PrepaidModel {
  const { turns, taskId, generation } = progress;
  const onSending = () => {
    if (turns.length === 0) title.begin(chosen);
  };
  const payer = { teamId: task.project.teamId, task: { id: taskId, generation } };
  const model = new PrepaidModel(deps, chosen, { ...payer, ownTools: true, onSending });
  if (open.records.answer) {
    model.keep();
    // A task that waits for a server begins many steps in one turn, and its title was made in the first.
    if (open.records.deferred.length === 0) onSending();
  }
  return model;
}

function mostTurns({ deps, task }: Step): number {
  return Math.min(deps.config.TASK_MAX_ITERATIONS, task.task.maxIterations ?? Infinity);
}

/** Stores a turn that is not the last. Returns why the task must stop, if it must. */
async function store(step: Step, last: LastTurn): Promise<StopReason | null> {
  const stored = await storeTurn(step.deps.db, step.progress.ending(last));
  if (!stored) return leaveStep(step);
  const events = taskEvents.creditsUsed(stored.charged);
  step.writer.add({ events, storedTurns: step.progress.turns.length });
  return stored.loss;
}
