import type { ReadStream, WriteStream } from "node:tty";
import { WorkspaceError, type ChatEvent } from "@agent-workspace/client";
import type { Context } from "../context.ts";
import { CommandError, stopped } from "../errors.ts";
import { onInterrupt } from "../input/interrupts.ts";
import { dim, red } from "../output/styles.ts";
import type { Suspended } from "../tasks/approvals.ts";
import { filesNamedIn } from "./attachments.ts";
import type { ChatSession } from "./chat-session.ts";
import { textOfEntry, type Entry } from "./entry.ts";
import { readHistory, writeHistory } from "./input-history.ts";
import { LineEditor } from "./line-editor.ts";
import { COMMAND_WORDS, runSlashCommand } from "./slash-commands.ts";

/** Time for a second Ctrl-C, which leaves. */
const SECOND_INTERRUPT_MS = 2_000;

interface Screen {
  readonly stdin: ReadStream;
  readonly screen: WriteStream;
}

type OpenSession = (options: { interrupt: () => void; suspended: Suspended }) => ChatSession;

/**
 * Talks with a person at a terminal until they leave. What the agent does is shown as it happens; while something is typed it
 * waits. Throws `CommandError` after Ctrl-C twice, and when the service has ended the connection.
 */
export async function talk(context: Context, screen: Screen, open: OpenSession): Promise<void> {
  const history = await readHistory(context.environment);
  await new Talk(context, screen, open, history).run();
}

class Talk {
  readonly #context: Context;
  readonly #session: ChatSession;
  readonly #editor: LineEditor;
  /** Events that wait while something is typed. */
  readonly #waiting: ChatEvent[] = [];
  readonly #over: Promise<void>;
  #leave: (error?: unknown) => void = () => {};
  #interruptedAt = -Infinity;
  /** What was entered is taken one after the other. */
  #work = Promise.resolve();
  #saved = Promise.resolve();

  constructor(context: Context, { stdin, screen }: Screen, open: OpenSession, history: readonly string[]) {
    this.#context = context;
    this.#over = new Promise((resolve, reject) => {
      this.#leave = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.#session = open({
      interrupt: () => this.#interrupt(),
      suspended: (ask) => this.#editor.suspended(ask),
    });
    this.#editor = new LineEditor({
      stdin,
      screen,
      history,
      words: COMMAND_WORDS,
      beforePrompt: () => this.#session.view.endLine(),
      entered: (entry) => this.#entered(entry),
      released: () => this.#settle(),
      interrupted: () => this.#interrupt(),
      ended: () => this.#leave(),
      remember: (lines) => this.#remember(lines),
    });
  }

  async run(): Promise<void> {
    const release = onInterrupt(() => this.#interrupt());
    this.#follow().catch(this.#leave);
    this.#settle();
    try {
      await this.#over;
    } finally {
      release();
      this.#editor.close();
      this.#session.close();
      await this.#saved;
    }
  }

  async #follow(): Promise<void> {
    for await (const each of this.#session.events()) {
      this.#waiting.push(each);
      this.#settle();
    }
  }

  // ── What is typed

  #entered(entry: Entry): void {
    this.#work = this.#work
      .then(() => this.#take(entry))
      .catch((error: unknown) => this.#tell(error))
      .then(() => this.#settle());
  }

  async #take(entry: Entry): Promise<void> {
    const text = textOfEntry(entry);
    if (text.trim() === "") return;
    const isTyped = entry.length === 1 && !entry.some(({ isPasted }) => isPasted);
    const kind = isTyped ? await runSlashCommand(text, this.#session) : "message";
    if (kind === "quit") return this.#leave();
    if (kind === "done") return;
    const files = await filesNamedIn(entry, this.#context.folder);
    for (const { file, bytes } of files) this.#session.view.note(dim(`Attached ${file}, ${bytes} bytes`));
    await this.#session.send(text, files);
  }

  #interrupt(): void {
    const now = performance.now();
    if (now - this.#interruptedAt < SECOND_INTERRUPT_MS) return this.#leave(stopped());
    this.#interruptedAt = now;
    const what = this.#session.isRunning ? "Stopping … " : "";
    this.#aside(() => this.#session.view.note(dim(`${what}Ctrl-C again leaves.`)));
    this.#session.stop().catch((error: unknown) => this.#tell(error));
    this.#settle();
  }

  #remember(lines: readonly string[]): void {
    const kept = [...lines];
    this.#saved = this.#saved
      .then(() => writeHistory(this.#context.environment, kept))
      .catch((error: unknown) => this.#tell(error));
  }

  // ── What is shown

  /** Shows what has waited, and the prompt when nothing runs. */
  #settle(): void {
    while (this.#waiting.length > 0 && !this.#editor.isTyping) {
      const each = this.#waiting.shift();
      if (each) this.#aside(() => this.#show(each));
    }
    if (this.#editor.isTyping) return;
    if (this.#session.isRunning) this.#editor.hide();
    else this.#editor.prompt();
  }

  #show(each: ChatEvent): void {
    const outcome = this.#session.show(each);
    if (outcome) this.#session.showOutcome(outcome);
  }

  /** Refusals are told, and the chat goes on; anything else ends it. */
  #tell(error: unknown): void {
    if (!(error instanceof WorkspaceError || error instanceof CommandError)) return this.#leave(error);
    const detail = error instanceof WorkspaceError ? error.detail : error.message;
    const advice = error instanceof CommandError ? error.advice : undefined;
    const text = advice === undefined ? detail : `${detail}. ${advice}`;
    this.#aside(() => this.#session.view.note(red("Error: "), text));
  }

  /** Shows something else than what is typed. */
  #aside(tell: () => void): void {
    this.#editor.hide();
    tell();
  }
}
