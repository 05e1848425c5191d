import type { ChosenModel } from "#src/domain/models/model-keys/index.ts";
import { PrepaidModel } from "#src/domain/models/prepaid-models/index.ts";
import {
  taskEvents,
  titleChat,
  titleOfMessage,
  type ClaimedTask,
} from "#src/domain/agent-work/tasks/index.ts";
import { insertCallOfTask } from "#src/domain/metering/usage/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { chatTitle } from "./chat-title.ts";
import type { LogWriter } from "../steps/log-writer.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import { scrubText } from "../scrubbing/scrub.ts";

/** How long an executor waits for the title after its step is over. */
const PATIENCE_MS = 10_000;

/**
 * Titles an unnamed chat while the first turn of its first task runs. A task never fails because of its title, and its
 * end does not wait for it.
 */
export class AutoTitle {
  readonly #deps: { db: Db; log: Log };
  readonly #task: ClaimedTask;
  readonly #writer: LogWriter;
  readonly #secrets: Pick<RunSecrets, "known">;
  readonly #abort = new AbortController();
  #working: Promise<void> | undefined;
  #isMade = false;
  #isStopped = false;
  /** Whether the step is over, so that its log is no longer written to. */
  #isLate = false;

  constructor(
    deps: { db: Db; log: Log },
    task: ClaimedTask,
    { writer, secrets }: { writer: LogWriter; secrets: Pick<RunSecrets, "known"> },
  ) {
    this.#deps = deps;
    this.#task = task;
    this.#writer = writer;
    this.#secrets = secrets;
  }

  /** Starts making the title, except for tasks of the API: their chats are named after the message. */
  begin(chosen: ChosenModel): void {
    const { chat, task } = this.#task;
    if (this.#isStopped || chat.isTitled || task.origin === "api") return;
    this.#working ??= this.#give(chosen)
      .catch((cause: unknown) => this.#failed(cause))
      .finally(() => (this.#isMade = true));
  }

  /** Call this before the step's last events. Until a late title is made, the chat is named by the message's first line. */
  async letStepEnd(): Promise<void> {
    this.#isLate = true;
    if (!this.#working || this.#isMade) return;
    const { chatId, message } = this.#task.task;
    const provisional = { title: titleOfMessage(message), isFinal: false };
    await titleChat(this.#deps.db, chatId, provisional).catch((cause: unknown) => this.#failed(cause));
  }

  /** Waits a limited time until a late title is made and stored. */
  async end(): Promise<void> {
    if (!this.#working) return;
    const patience = setTimeout(() => this.stop(), PATIENCE_MS);
    await this.#working;
    clearTimeout(patience);
  }

  stop(): void {
    this.#isStopped = true;
    // Aborting costs half a millisecond, because the reason has a stack: only abort while the title is being made.
    if (this.#working && !this.#isMade) this.#abort.abort();
  }

  #failed(cause: unknown): void {
    this.#deps.log.warn("a chat got no title", { task_id: this.#task.task.id, cause });
  }

  async #give(chosen: ChosenModel): Promise<void> {
    const { chatId, id: taskId, message } = this.#task.task;
    const { signal } = this.#abort;
    let isSent = false;
    const model = new PrepaidModel(this.#deps, chosen, {
      teamId: this.#task.project.teamId,
      onSending: () => (isSent = true),
    });
    try {
      const said = await chatTitle({ model, message, answer: "", signal });
      const { usage } = said;
      // The model repeats what the message says, and the message may contain a secret.
      const title = scrubText(said.title, await this.#secrets.known());
      const isCharged = usage !== undefined && isSent;
      // The task's end tells a title that its call was noted for, so the note comes first.
      const charged = isCharged
        ? await insertCallOfTask(this.#deps.db, taskId, model.toCall("title", usage))
        : undefined;
      await titleChat(this.#deps.db, chatId, { title, isFinal: said.isFinal });
      if (charged && !this.#isLate) this.#writer.add({ events: taskEvents.creditsUsed(charged) });
    } finally {
      await model.end();
    }
  }
}
