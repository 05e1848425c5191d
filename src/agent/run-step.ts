import type { TakeDeps } from "#src/domain/archives/index.ts";
import { awake, awakeRuntime } from "#src/domain/lifecycle/index.ts";
import {
  claimTask,
  closeTask,
  endOfStopped,
  finishTask,
  storeTurn,
  taskEvents,
} from "#src/domain/tasks/index.ts";
import type { ClaimedTask, Ending, FinishDeps, StepUsage, TaskEnd } from "#src/domain/tasks/index.ts";
import { StepData } from "#src/domain/tasks/index.ts";
import { ModelError, type Model, type ModelUsage } from "#src/models/model.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Begun } from "#src/platform/objects/task-logs.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { Checkpoint } from "./checkpoint.ts";
import { LogWriter, StoppedError, SupersededError } from "./log-writer.ts";
import { renderSystemPrompt } from "./prompts/system-prompt.ts";
import { runTurn } from "./run-turn.ts";
import { mayChange, toolDefinitions } from "./tools/index.ts";
import { transcript } from "./transcript.ts";
import { TurnRecords } from "./turn-records.ts";

/** How often an executor shows life while it waits for a model or a tool. */
const PING_MS = 3_000;

/** How long a tool waits for a project that is asleep. */
const WAKE_MS = 120_000;

export interface StepDeps extends FinishDeps, Pick<TakeDeps, "archives"> {
  chooseModel(name: string | null): Model;
  workspaces: Pick<ProjectWorkspaces, "runtime">;
  log: Log;
  config: TakeDeps["config"] & {
    STEP_MAX_SECONDS: number;
    STEP_MAX_APPENDS: number;
    TASK_MAX_ITERATIONS: number;
  };
}

export type StepOutcome = { kind: "done" } | { kind: "busy"; retryAfterSeconds: number };

/**
 * Execute one step of a task: turns until the answer is final, the task is stopped, or the step is over and the next one
 * takes it on. Delivered twice, out of order or after a crash, it picks up where the records stand or does nothing.
 */
export async function runStep(deps: StepDeps, input: { taskId: string; step: number }): Promise<StepOutcome> {
  const begun = await deps.taskLogs.begin(input.taskId, input.step);
  if (begun.kind === "skip") return { kind: "done" };
  if (begun.kind === "busy") return begun;
  try {
    await execute(deps, input, begun);
  } catch (error) {
    // The queue delivers the step again; the next executor need not wait until this one counts as dead.
    await deps.taskLogs.release(input.taskId, begun.generation).catch(() => {});
    throw error;
  }
  return { kind: "done" };
}

async function execute(
  deps: StepDeps,
  { taskId }: { taskId: string },
  begun: Extract<Begun, { kind: "run" | "exhausted" }>,
): Promise<void> {
  const { generation } = begun;
  const claim = await claimTask(deps.db, taskId, generation);
  if (!claim.claimed || !claim.current) {
    return closeTask(deps, { taskId, generation, task: claim.current?.task, totalUsage: undefined });
  }
  const steps = claim.steps.map(({ stepData }) => StepData.parse(stepData));
  const progress = new Progress(taskId, generation, steps);
  if (begun.kind === "exhausted") {
    const error = `The task made no progress in ${begun.attempts} attempts`;
    return finishTask(deps, progress.ending(), failed(progress, "attempts_exhausted", error));
  }
  if (begun.stop) return finishTask(deps, progress.ending(), endOfStopped(begun.stop, progress.lastText));
  await new Execution(deps, claim.current, claim.history, progress, begun).run();
}

/** What a task has done so far. */
class Progress {
  readonly taskId: string;
  readonly generation: number;
  readonly steps: StepData[];

  constructor(taskId: string, generation: number, steps: StepData[]) {
    this.taskId = taskId;
    this.generation = generation;
    this.steps = steps;
  }

  get lastText(): string | null {
    return this.steps.findLast(({ response_text: text }) => text !== "")?.response_text ?? null;
  }

  /** Whether calls of earlier turns may have changed files. */
  get hasChangedFiles(): boolean {
    return this.steps.some((step) => step.tool_calls.some(({ name }) => mayChange(name)));
  }

  /** Tokens of all turns, whoever executed them. */
  get #usage(): ModelUsage {
    const sum = (field: keyof ModelUsage) => this.steps.reduce((total, { usage }) => total + usage[field], 0);
    return {
      inputTokens: sum("inputTokens"),
      outputTokens: sum("outputTokens"),
      cachedInputTokens: sum("cachedInputTokens"),
      cacheWriteTokens: sum("cacheWriteTokens"),
    };
  }

  ending(last?: { step: StepData; usage: StepUsage }): Ending {
    const { taskId, generation, steps } = this;
    return {
      taskId,
      generation,
      iterations: steps.length,
      toolCalls: steps.reduce((sum, step) => sum + step.tool_calls.length, 0),
      step: last?.step,
      usage: last?.usage,
      totalUsage: this.#usage,
    };
  }
}

function failed(progress: Progress, completionReason: string, error: string): TaskEnd {
  return { status: "failed", response: progress.lastText, completionReason, error };
}

/** One executor at work on one step. */
class Execution {
  readonly #deps: StepDeps;
  readonly #task: ClaimedTask;
  readonly #history: readonly { role: "user" | "assistant"; content: string }[];
  readonly #progress: Progress;
  readonly #begun: Extract<Begun, { kind: "run" }>;
  readonly #abort = new AbortController();
  readonly #writer: LogWriter;
  readonly #runtime: ProjectRuntime;
  readonly #checkpoint: Checkpoint;
  readonly #endsAt: number;

  constructor(
    deps: StepDeps,
    task: ClaimedTask,
    history: readonly { role: "user" | "assistant"; content: string }[],
    progress: Progress,
    begun: Extract<Begun, { kind: "run" }>,
  ) {
    this.#deps = deps;
    this.#task = task;
    this.#history = history;
    this.#progress = progress;
    this.#begun = begun;
    this.#endsAt = Date.now() + deps.config.STEP_MAX_SECONDS * 1000;
    const { taskId, generation } = progress;
    this.#writer = new LogWriter({
      append: (addition) => deps.taskLogs.append(taskId, generation, addition),
      textEvent: taskEvents.textDelta,
      onStop: (error) => this.#abort.abort(error),
      sparingAfter: deps.config.STEP_MAX_APPENDS / 2,
    });
    const { project, task: row } = task;
    const patience = { timeoutMs: WAKE_MS, signal: this.#abort.signal };
    this.#runtime = awakeRuntime(deps, project.id, patience);
    this.#checkpoint = new Checkpoint(deps, {
      taskId,
      chatId: row.chatId,
      projectId: project.id,
      message: row.message,
      hasChangedFiles: progress.hasChangedFiles,
      runtime: this.#runtime,
      awake: () => awake(deps, project.id, patience),
      signal: this.#abort.signal,
    });
  }

  async run(): Promise<void> {
    const { taskId, generation } = this.#progress;
    const life = setInterval(() => {
      this.#deps.taskLogs.ping(taskId, generation).then(
        (control) => this.#writer.heed(control),
        (error: unknown) => this.#deps.log.warn("ping failed", { task_id: taskId, cause: error }),
      );
    }, PING_MS);
    try {
      await this.#runTurns();
    } catch (error) {
      await this.#endEarly(error);
    } finally {
      clearInterval(life);
    }
  }

  async #runTurns(): Promise<void> {
    const { taskId, steps } = this.#progress;
    const { lastEventId, records, restarted } = this.#begun;
    const current = steps.length + 1;
    if (lastEventId === 0) this.#writer.add({ events: [taskEvents.taskStarted(taskId)] });
    else if (restarted && !new TurnRecords(current, records).answer) {
      this.#writer.add({ events: [taskEvents.turnRestarted(current, "The task was resumed")] });
    }
    const model = this.#deps.chooseModel(this.#task.agent.model);
    for (;;) {
      const { step, answer } = await this.#turn(model, steps.length + 1);
      this.#abort.signal.throwIfAborted();
      const last = { step, usage: { provider: model.provider, model: model.name, ...answer.usage } };
      steps.push(step);
      if (step.is_complete) {
        const end: TaskEnd = {
          status: "completed",
          response: step.response_text,
          completionReason: answer.finishReason,
        };
        return finishTask(this.#deps, this.#progress.ending(last), end);
      }
      if (steps.length >= this.#deps.config.TASK_MAX_ITERATIONS) {
        const error = `The task did not end within ${steps.length} turns`;
        return finishTask(
          this.#deps,
          this.#progress.ending(last),
          failed(this.#progress, "max_iterations", error),
        );
      }
      const stored = await storeTurn(this.#deps.db, this.#progress.ending(last));
      if (!stored) throw new SupersededError("The task's row belongs to a newer executor, or is over");
      this.#writer.add({ storedTurns: step.iteration });
      if (Date.now() >= this.#endsAt || this.#writer.writes >= this.#deps.config.STEP_MAX_APPENDS) {
        return this.#handOver();
      }
    }
  }

  async #turn(model: Model, iteration: number) {
    const { task, project, agent, userName } = this.#task;
    const tools = toolDefinitions();
    return runTurn({
      iteration,
      model,
      records: new TurnRecords(iteration, this.#begun.records),
      writer: this.#writer,
      request: {
        system: renderSystemPrompt({
          project,
          toolNames: tools.map(({ name }) => name),
          now: task.createdAt,
          userName,
          agentInstructions: agent.systemPrompt,
        }),
        messages: transcript({
          history: this.#history,
          message: task.message,
          steps: this.#progress.steps,
        }),
        tools,
      },
      tools: {
        runtime: this.#runtime,
        project,
        chatId: task.chatId,
        signal: this.#abort.signal,
        scopes: task.scopes,
      },
      beforeChange: (call) => this.#checkpoint.before(call),
      onToolFault: (tool, cause) => this.#deps.log.error("tool failed", { task_id: task.id, tool, cause }),
    });
  }

  /** The platform bounds how long one step may run; the next one goes on from the stored turns. */
  async #handOver(): Promise<void> {
    await this.#writer.flush();
    const { taskId, generation } = this.#progress;
    const step = await this.#deps.taskLogs.endStep(taskId, generation);
    if (step === undefined) return;
    await this.#deps.queue.publish({
      function: "agent-step",
      payload: { taskId, step },
      deduplicationId: `step-${taskId}-${step}`,
    });
  }

  async #endEarly(error: unknown): Promise<void> {
    const reason: unknown = this.#abort.signal.aborted ? this.#abort.signal.reason : error;
    if (reason instanceof SupersededError) return;
    const { lastText } = this.#progress;
    if (reason instanceof StoppedError) {
      await this.#writer.flush();
      return finishTask(this.#deps, this.#progress.ending(), endOfStopped(reason.reason, lastText));
    }
    if (reason instanceof ModelError) {
      await this.#writer.flush();
      this.#deps.log.warn("model failed", {
        task_id: this.#progress.taskId,
        code: reason.code,
        cause: reason,
      });
      return finishTask(
        this.#deps,
        this.#progress.ending(),
        failed(this.#progress, "model_error", reason.message),
      );
    }
    throw reason;
  }
}
