import { snapshotOfTask, takeSnapshot, type TakeDeps } from "#src/domain/workspaces/archives/index.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { isCloneUnderWay } from "#src/domain/source-control/repositories/index.ts";
import type { ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import type { Refusal } from "../turns/refusal.ts";

/** How long a run waits for its checkpoint. */
const PATIENCE_MS = 5_000;

/** Characters of the message in the checkpoint's label. */
const LABEL_CHARS = 80;

/** The beginning of a message, cut between words where there are some. */
function beginningOf(message: string): string {
  if (message.length <= LABEL_CHARS) return message;
  const words = message
    .slice(0, LABEL_CHARS)
    .toWellFormed()
    .replace(/\s+\S*$/u, "");
  return `${words}…`;
}

const CLONING: Refusal = {
  error: "A repository is being cloned into the project, which replaces its files.",
  suggestion: "Wait until the clone ends, or ask the user to send the message again then.",
};

interface Run {
  taskId: string;
  chatId: string;
  projectId: string;
  message: string;
  /** Whether an earlier executor ran calls that change files. */
  hasChangedFiles: boolean;
  runtime: Pick<ProjectStorage, "inventory" | "readEntries">;
  /** Resolves when the project's files are available. */
  awake: () => Promise<void>;
  /** Ends the wait. */
  signal: AbortSignal;
}

/**
 * Snapshot of the files before a run changes any. It is taken once per task, before the first call that may change
 * files; a run without such a call has no checkpoint. The run continues when the snapshot fails or takes too long.
 */
export class Checkpoint {
  readonly #deps: TakeDeps;
  readonly #run: Run;
  #done: Promise<void> | undefined;

  constructor(deps: TakeDeps, run: Run) {
    this.#deps = deps;
    this.#run = run;
    if (run.hasChangedFiles) this.#done = Promise.resolve();
  }

  /**
   * Waits for the checkpoint before a call. If an earlier executor had begun the call, files may have changed already
   * and no checkpoint is taken. Returns why the call must not run: a clone is about to replace the files.
   */
  async before(call: { begun: boolean }): Promise<Refusal | undefined> {
    if (await isCloneUnderWay(this.#deps.db, this.#run.projectId)) return CLONING;
    this.#done ??= call.begun ? Promise.resolve() : this.#take();
    await this.#done;
    return undefined;
  }

  async #take(): Promise<void> {
    const { taskId, chatId, projectId, message, runtime, awake, signal } = this.#run;
    try {
      const [taken] = await snapshotOfTask(this.#deps.db, taskId);
      if (taken) return;
      await awake();
      using limit = timeLimit(PATIENCE_MS, signal);
      const patience = limit.signal;
      const label = `agent: ${beginningOf(message)}`;
      const wish = { projectId, role: "agent", label, chatId, taskId, signal: patience } as const;
      await Promise.race([takeSnapshot(this.#deps, runtime, wish), aborted(patience)]);
    } catch (error) {
      if (signal.aborted) return;
      this.#deps.log.warn("a run continues without a checkpoint", { task_id: taskId, cause: error });
    }
  }
}

/** Rejects with the signal's reason when it aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const give = () => reject(signal.reason instanceof Error ? signal.reason : new Error("Given up"));
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
}
