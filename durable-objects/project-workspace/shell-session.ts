import { AppError } from "#src/lib/errors.ts";
import type { ShellOptions } from "#src/platform/runtime/project-shells.ts";
import { LineEditor, type Typed } from "./line-editor.ts";
import type { LineResult } from "./session-lines.ts";

/** Most characters that wait until the shell reads them. */
const MAX_TYPED = 1024 * 1024;
const INTERRUPT = "\u0003";
/** Command lines that start an interactive shell; any other command is run once. */
const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|z|a)?sh(?:\s+(?:-[il]+|--login))*$/u;

/** The shell that a session feeds. */
export interface Lines {
  readonly cwd: string;
  resize(columns: number, rows: number): void;
  /** `undefined` when the text is incomplete and more lines may follow. */
  run(text: string, options: { signal: AbortSignal; mayContinue: boolean }): Promise<LineResult | undefined>;
}

/**
 * One shell session: a terminal in line mode. It echoes input once the shell reads it, runs each line to its end before
 * the next, and supports backspace, Ctrl-U, Ctrl-W, Ctrl-C and Ctrl-D.
 */
export class ShellSession {
  readonly #lines: Lines;
  readonly #show: (text: string) => void;
  readonly #ended: (exitCode: number | null, cause?: unknown) => void;
  readonly #editor = new LineEditor();
  #typed = "";
  /** Lines of a command that is not complete yet. */
  #unfinished = "";
  #running: AbortController | undefined;
  #isReading = false;
  #isOver = false;

  constructor(deps: {
    lines: Lines;
    show: (text: string) => void;
    /** Called once when the session ends by itself: with the exit code, or null and the cause when it broke. */
    ended: (exitCode: number | null, cause?: unknown) => void;
  }) {
    this.#lines = deps.lines;
    this.#show = deps.show;
    this.#ended = deps.ended;
  }

  start(command: ShellOptions["command"]): void {
    if (SHELL.test(command.trim())) return this.#prompt();
    this.#isReading = true;
    void this.#act(async () => this.#end((await this.#run(command, { mayContinue: false }))?.status ?? null));
  }

  resize(columns: number, rows: number): void {
    this.#lines.resize(columns, rows);
  }

  /** Throws `too_large` when more input waits than a shell would ever read. */
  type(data: string): void {
    if (this.#typed.length + data.length > MAX_TYPED) {
      throw new AppError("too_large", "The shell is busy and has not read what was typed before");
    }
    this.#typed += data;
    const interrupt = this.#typed.lastIndexOf(INTERRUPT);
    if (this.#running && interrupt !== -1) {
      // As in a terminal, Ctrl-C discards input that was not read yet.
      this.#typed = this.#typed.slice(interrupt + 1);
      this.#show("^C\r\n");
      this.#running.abort();
    }
    if (!this.#isReading) void this.#act(() => this.#read());
  }

  /** Ends the session from outside: its command is ended, and no more output is shown. */
  stop(): void {
    this.#isOver = true;
    this.#running?.abort();
  }

  async #act(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (cause) {
      this.#end(null, cause);
    }
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#typed !== "" && !this.#isOver) {
        const { shown, does, rest } = this.#editor.take(this.#typed);
        this.#typed = rest;
        if (shown !== "") this.#show(shown);
        if (!does) return;
        await this.#do(does);
      }
    } finally {
      this.#isReading = false;
    }
  }

  async #do(does: Typed): Promise<void> {
    if (does.kind === "end") {
      this.#show("exit\r\n");
      return this.#end(0);
    }
    if (does.kind === "interrupt") this.#unfinished = "";
    else await this.#takeLine(does.text);
    if (!this.#isOver) this.#prompt();
  }

  async #takeLine(line: string): Promise<void> {
    const text = this.#unfinished + line;
    if (text.trim() === "") return;
    this.#unfinished = "";
    const result = await this.#run(text, { mayContinue: true });
    if (!result) this.#unfinished = `${text}\n`;
    else if (result.exits) this.#end(result.status);
  }

  async #run(text: string, { mayContinue }: { mayContinue: boolean }): Promise<LineResult | undefined> {
    const controller = new AbortController();
    this.#running = controller;
    try {
      const result = await this.#lines.run(text, { signal: controller.signal, mayContinue });
      if (result && !this.#isOver && result.output !== "")
        this.#show(result.output.replaceAll(/\r?\n/gu, "\r\n"));
      return result;
    } finally {
      this.#running = undefined;
    }
  }

  #prompt(): void {
    this.#show(this.#unfinished === "" ? `user@project:${this.#lines.cwd}$ ` : "> ");
  }

  #end(exitCode: number | null, cause?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended(exitCode, cause);
  }
}
