import type { TakeDeps } from "#src/domain/workspaces/archives/index.ts";
import { isAsking } from "#src/domain/agent-work/approvals/index.ts";
import { awake, awakeRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import {
  chooseModelFor,
  type ChooseModelDeps,
  type ChosenModel,
} from "#src/domain/models/model-keys/index.ts";
import { PrepaidModel } from "#src/domain/billing/prepaid-models/index.ts";
import {
  endOfStopped,
  finishTask,
  goOn,
  publishNextStep,
  publishQuestions,
  storeCompaction,
  storeTurn,
  taskEvents,
  type ChatAccount,
  type ClaimedTask,
  type FinishDeps,
  type Turn,
  type TaskEnd,
} from "#src/domain/agent-work/tasks/index.ts";
import { insertCallOfTask, type ModelCall } from "#src/domain/billing/usage/index.ts";
import { windowBeside } from "#src/models/model-facts.ts";
import type { KeptPart } from "#src/models/kept-part.ts";
import { ModelError, type ModelUsage } from "#src/models/model.ts";
import type { ThinkingEffort } from "#src/models/thinking.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Begun } from "#src/platform/objects/task-logs.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { AutoTitle } from "./auto-title.ts";
import { Checkpoint } from "./checkpoint.ts";
import { chatAccount, type PlacedMessage } from "./context/chat-account.ts";
import { Compaction } from "./context/compaction.ts";
import { ConversationWindow } from "./context/within-window.ts";
import { Gate, WaitingError } from "./gate.ts";
import { sealPart, withPart } from "./kept-parts.ts";
import { LogWriter, StoppedError, SupersededError } from "./log-writer.ts";
import { Pictures, requireSight } from "./pictures.ts";
import { prepareTurns, type Prepared } from "./prepare-turns.ts";
import { endAfter, failed, outOfCredits, type Progress } from "./progress.ts";
import { runTurn } from "./run-turn.ts";
import { stoppedTurn, type OpenTurn } from "./stopped-turn.ts";
import { knownSecrets, type KnownSecretsDeps } from "./scrubbing/known-secrets.ts";
import { RunSecrets } from "./scrubbing/run-secrets.ts";
import type { ToolDeps } from "./tool-services.ts";
import { TurnRecords } from "./turn-records.ts";

/** How often an executor pings the task log while it waits for a model or a tool. */
const PING_MS = 3_000;

/** How long a tool waits for a sleeping project to wake. */
const WAKE_MS = 120_000;

export interface ExecutionDeps
  extends FinishDeps, ToolDeps, KnownSecretsDeps, ChooseModelDeps, Pick<TakeDeps, "archives"> {
  workspaces: Pick<ProjectWorkspaces, "runtime">;
  /** Encrypts the parts of turns that are returned to models. */
  secrets: Secrets;
  log: Log;
  config: TakeDeps["config"] &
    ToolDeps["config"] & {
      DEFAULT_THINKING_EFFORT?: ThinkingEffort | undefined;
      STEP_MAX_SECONDS: number;
      STEP_MAX_APPENDS: number;
      TASK_MAX_ITERATIONS: number;
      APPROVAL_EXPIRE_HOURS: number;
    };
}

/** One executor at work on one step. */
export class Execution {
  readonly #deps: ExecutionDeps;
  readonly #task: ClaimedTask;
  readonly #history: readonly PlacedMessage[];
  readonly #progress: Progress;
  readonly #begun: Extract<Begun, { kind: "run" }>;
  readonly #abort = new AbortController();
  readonly #writer: LogWriter;
  readonly #runtime: ProjectRuntime;
  readonly #checkpoint: Checkpoint;
  readonly #secrets: RunSecrets;
  readonly #pictures: Pictures;
  readonly #gate: Gate;
  readonly #title: AutoTitle;
  readonly #endsAt: number;
  #compaction: Compaction | null;
  /** Summary of the chat's older messages, for later tasks. */
  #account: ChatAccount | undefined;
  /** Model call of the turn that is not stored yet. */
  #openCall: ModelCall | undefined;
  /** The current turn: its records, and the text shown of an answer that has not ended. */
  #open: OpenTurn;

  constructor(
    deps: ExecutionDeps,
    task: ClaimedTask,
    history: readonly PlacedMessage[],
    progress: Progress,
    begun: Extract<Begun, { kind: "run" }>,
  ) {
    this.#deps = deps;
    this.#task = task;
    this.#history = history;
    this.#progress = progress;
    this.#begun = begun;
    this.#open = this.#nextTurn();
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
    this.#secrets = new RunSecrets({
      load: () => knownSecrets(deps, { projectId: project.id, userId: row.userId }),
      files: deps.workspaces.runtime(project.id),
      onUnreadable: (cause) => deps.log.warn("env files cannot be read", { task_id: taskId, cause }),
    });
    this.#pictures = new Pictures(this.#runtime);
    this.#gate = new Gate(deps, task, { writer: this.#writer, secrets: this.#secrets });
    this.#title = new AutoTitle(deps, task, { writer: this.#writer, secrets: this.#secrets });
    this.#compaction = Compaction.nullable().catch(null).parse(row.compaction);
    if (this.#compaction) this.#account = chatAccount(history, this.#compaction);
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
      await this.#runTurns().catch((error: unknown) => this.#endEarly(error));
    } finally {
      clearInterval(life);
      await this.#title.end();
    }
  }

  async #runTurns(): Promise<void> {
    const { taskId, turns } = this.#progress;
    const { lastEventId, restarted } = this.#begun;
    if (this.#begun.stop) throw new StoppedError(this.#begun.stop);
    if (this.#task.loss) throw new StoppedError(this.#task.loss);
    if (lastEventId === 0) this.#writer.add({ events: [taskEvents.taskStarted(taskId)] });
    else if (restarted && !this.#open.records.answer) {
      this.#writer.add({ events: [taskEvents.turnRestarted(turns.length + 1, "The task was resumed")] });
    }
    const prepared = await prepareTurns(this.#deps, this.#task, {
      runtime: this.#runtime,
      secrets: this.#secrets,
    });
    for (;;) {
      // Chosen for each call, so that a deleted key or an expired tier takes effect.
      const model = this.#prepaid(await this.#chooseModel());
      try {
        if (await this.#takeTurn(model, prepared)) return;
      } finally {
        await model.end();
      }
      if (Date.now() >= this.#endsAt || this.#writer.writes >= this.#deps.config.STEP_MAX_APPENDS) {
        return await this.#handOver();
      }
    }
  }

  /** Runs and stores one turn. Returns whether the task is over. */
  async #takeTurn(model: PrepaidModel, prepared: Prepared): Promise<boolean> {
    const { turns } = this.#progress;
    const { turn, answer } = await this.#turn(model, prepared, turns.length + 1);
    this.#abort.signal.throwIfAborted();
    const last = { turn, call: this.#openCall };
    turns.push(await withPart(this.#deps.secrets, turn));
    this.#open = this.#nextTurn();
    const mostTurns = Math.min(
      this.#deps.config.TASK_MAX_ITERATIONS,
      this.#task.task.maxIterations ?? Infinity,
    );
    const end = endAfter(this.#progress, turn, answer, { isBounded: model.isBounded, mostTurns });
    if (end) {
      await this.#finish(last, end);
      return true;
    }
    const stored = await storeTurn(this.#deps.db, this.#progress.ending(last));
    if (!stored) return await this.#leave();
    this.#openCall = undefined;
    const { charged, loss } = stored;
    this.#writer.add({ events: taskEvents.creditsUsed(charged), storedTurns: turn.iteration });
    if (loss) throw new StoppedError(loss);
    return false;
  }

  /**
   * Returns the prepaid model of one turn. The title starts only once a task's first call is sent, or it could use up
   * the credits that the call needs.
   */
  #prepaid(chosen: ChosenModel): PrepaidModel {
    const { turns, taskId, generation } = this.#progress;
    const onSending = () => {
      if (turns.length === 0) this.#title.begin(chosen);
    };
    const payer = { teamId: this.#task.project.teamId, task: { id: taskId, generation } };
    const model = new PrepaidModel(this.#deps, chosen, { ...payer, ownTools: true, onSending });
    if (this.#open.records.answer) {
      model.keep();
      onSending();
    }
    return model;
  }

  /** Returns the turn after the stored ones, with the records of earlier executors. */
  #nextTurn(): OpenTurn {
    return {
      records: new TurnRecords(this.#progress.turns.length + 1, this.#begun.records),
      said: "",
    };
  }

  async #chooseModel(): Promise<ChosenModel> {
    const { task, project, agent, disabledModels, isPromptSecret } = this.#task;
    const who = { userId: task.userId, teamId: project.teamId, disabledModels, isPromptSecret };
    return chooseModelFor(this.#deps, who, task.model ?? agent.model);
  }

  async #turn(model: PrepaidModel, prepared: Prepared, iteration: number) {
    const { task, project, chat } = this.#task;
    const { services, tools, system, message } = prepared;
    const seesPictures = requireSight(model.name, message);
    const conversation = {
      history: this.#history,
      chatSummary: chat.summary,
      message,
      turns: await this.#pictures.beside(this.#progress.turns, { seen: seesPictures }),
    };
    const effort = this.#deps.config.DEFAULT_THINKING_EFFORT;
    const open = this.#open;
    const window = new ConversationWindow({
      model,
      conversation,
      system,
      tools,
      compaction: this.#compaction,
      window: windowBeside(model.name, effort),
      signal: this.#abort.signal,
      onCompacted: (compaction, usage) => this.#keep(compaction, model, usage, iteration),
      onSummaryFailed: (cause) =>
        this.#deps.log.warn("a summary failed", { task_id: task.id, code: cause.code, cause }),
    });
    const context = {
      ...services,
      runtime: this.#runtime,
      project,
      chatId: task.chatId,
      model: { name: model.name, seesPictures },
      signal: this.#abort.signal,
      readOnly: task.editMode === "plan",
      scopes: task.scopes,
    };
    const seal = (part: KeptPart) => sealPart(this.#deps.secrets, part);
    return runTurn({
      iteration,
      request: { model, system, definitions: tools, effort, window, seal },
      calls: {
        tools: context,
        gate: this.#gate,
        beforeChange: (call) => this.#checkpoint.before(call),
      },
      log: { records: open.records, writer: this.#writer },
      secrets: this.#secrets,
      observer: {
        modelUsed: (usage) => (this.#openCall = model.toCall("agent", usage, iteration)),
        said: (text) => (open.said = text),
        toolFailed: (tool, cause) => this.#deps.log.error("tool failed", { task_id: task.id, tool, cause }),
      },
    });
  }

  /** Stores the compaction before the call that uses it, so that a later executor builds the same transcript. */
  async #keep(
    compaction: Compaction,
    model: PrepaidModel,
    usage: ModelUsage | undefined,
    iteration: number,
  ): Promise<void> {
    const call = usage && model.toCall("compaction", usage, compaction.summaries);
    const stored = await storeCompaction(this.#deps.db, this.#progress, compaction, call);
    if (!stored) return this.#leave();
    this.#compaction = compaction;
    this.#account = chatAccount(this.#history, compaction) ?? this.#account;
    const used = taskEvents.creditsUsed(stored.charged);
    this.#writer.add({ events: [taskEvents.contextPressure(iteration), ...used] });
  }

  /**
   * Called when the task's row belongs to a newer executor, is over or is gone. A chat's deletion tells the log to stop
   * before the row goes, so the log has the reason.
   */
  async #leave(): Promise<never> {
    const { taskId, generation } = this.#progress;
    this.#writer.heed(await this.#deps.taskLogs.ping(taskId, generation));
    this.#abort.signal.throwIfAborted();
    throw new SupersededError("The task's row belongs to a newer executor, or is over");
  }

  async #finish(
    last: { turn?: Turn | undefined; call: ModelCall | undefined } | undefined,
    end: TaskEnd,
  ): Promise<void> {
    await this.#title.letStepEnd();
    await this.#writer.flush();
    return finishTask(this.#deps, { ...this.#progress.ending(last), account: this.#account }, end);
  }

  /**
   * Publishes the next step: the platform bounds how long one step may run, and the next one continues from the stored
   * turns.
   */
  async #handOver(): Promise<void> {
    await this.#title.letStepEnd();
    await this.#writer.flush();
    const { taskId, generation } = this.#progress;
    await publishNextStep(this.#deps, { taskId, generation, userId: this.#task.task.userId });
  }

  /** Parks the task: it has no executor until the approval is decided. */
  async #wait({ until }: WaitingError): Promise<void> {
    const { taskId, generation } = this.#progress;
    const call = this.#openCall;
    // The reservation is not renewed while the task waits for hours: charge the call now; it is not charged again with
    // its turn.
    if (call && call.cost.input + call.cost.output > 0) {
      const charged = await insertCallOfTask(this.#deps.db, taskId, call);
      this.#writer.add({ events: taskEvents.creditsUsed(charged) });
    }
    await this.#title.letStepEnd();
    await this.#writer.flush();
    await publishQuestions(this.#deps, this.#task.task);
    await this.#deps.taskLogs.park(taskId, generation, until);
    // An approval decided before the task was parked could not wake it.
    if (!(await isAsking(this.#deps.db, taskId))) await goOn(this.#deps, this.#task.task);
  }

  /** Stops the task and keeps what its open turn said, did and used. */
  async #stop({ reason }: StoppedError): Promise<void> {
    this.#title.stop();
    const { turns } = this.#progress;
    const records = this.#open.records.untilNow();
    const open = { records, said: this.#open.said };
    const turn = await stoppedTurn(open, this.#openCall, this.#secrets).catch((cause: unknown) => {
      this.#deps.log.warn("a stopped turn is lost", { task_id: this.#progress.taskId, cause });
      return undefined;
    });
    if (turn) {
      turns.push(await withPart(this.#deps.secrets, turn));
      if (!records.ended) {
        this.#writer.add({ events: [taskEvents.agentStep(turn)], records: [records.recordEnd()] });
      }
    }
    return this.#finish({ turn, call: this.#openCall }, endOfStopped(reason, this.#progress.lastText));
  }

  async #endEarly(error: unknown): Promise<void> {
    const reason: unknown = this.#abort.signal.aborted ? this.#abort.signal.reason : error;
    if (reason instanceof SupersededError) return this.#title.stop();
    if (reason instanceof WaitingError) return this.#wait(reason);
    if (reason instanceof StoppedError) return this.#stop(reason);
    if (reason instanceof ModelError && reason.code === "insufficient_credits") {
      return this.#finish({ call: this.#openCall }, outOfCredits(this.#progress));
    }
    if (reason instanceof ModelError) {
      const { taskId: task_id } = this.#progress;
      this.#deps.log.warn("model failed", { task_id, code: reason.code, cause: reason });
      return this.#finish({ call: this.#openCall }, failed(this.#progress, "model_error", reason.message));
    }
    this.#title.stop();
    throw reason;
  }
}
