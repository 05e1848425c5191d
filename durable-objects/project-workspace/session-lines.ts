import type { Ended } from "#src/platform/command-runner/command-runner.ts";
import type { JobResult, ScratchEntry, WithBytes } from "#src/shell/job.ts";
import { FileCalls } from "./file-calls.ts";
import { absoluteOf } from "./paths.ts";
import { OUT_OF_MEMORY, type CommandSurroundings } from "./run-command.ts";

const EXIT_INTERRUPTED = 130;

/** State that one line leaves for the next. */
export interface LineResult {
  output: string;
  /** The value of `$?`; the session's exit code when it ends with the line. */
  status: number;
  exits: boolean;
}

/**
 * The lines of one shell session, each run as a separate job. The next line inherits the state: the directory, the
 * variables, the last status, and the files beside the project, which stay in memory as long as the session.
 */
export class SessionLines {
  readonly #surroundings: CommandSurroundings;
  readonly #env: Readonly<Record<string, string>>;
  #cwd: string;
  #variables: Record<string, string> | undefined;
  /** The terminal's new size since the last line began. */
  #resized: Record<"COLUMNS" | "LINES", string> | undefined;
  #status = 0;
  #scratch: { entries: ScratchEntry[]; bytes: Uint8Array } = { entries: [], bytes: new Uint8Array() };

  constructor(
    surroundings: CommandSurroundings,
    { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
  ) {
    this.#surroundings = surroundings;
    this.#env = env;
    this.#cwd = absoluteOf(cwd);
  }

  get cwd(): string {
    return this.#cwd;
  }

  /** Lines that begin from now on see the terminal's new size, as in a shell that has caught `SIGWINCH`. */
  resize(columns: number, rows: number): void {
    this.#resized = { COLUMNS: `${columns}`, LINES: `${rows}` };
  }

  /**
   * Runs a text until it ends or the signal aborts; `undefined` when the text is incomplete and `mayContinue` is set. A
   * failing command returns a result.
   */
  async run(
    text: string,
    { signal, mayContinue }: { signal: AbortSignal; mayContinue: boolean },
  ): Promise<LineResult | undefined> {
    const { project, files, runner } = this.#surroundings;
    const calls = new FileCalls(files, { readOnly: false });
    const { entries: scratch, bytes } = this.#scratch;
    const resized = this.#resized;
    this.#resized = undefined;
    const job = {
      kind: "line" as const,
      text,
      cwd: this.#cwd,
      env: { ...this.#env, ...resized },
      status: this.#status,
      ...(this.#variables && { variables: { ...this.#variables, ...resized } }),
      scratch,
      mayContinue,
    };
    const done = await runner.run(
      { value: job, bytes },
      { project, callFiles: calls.call, cancelled: signal },
    );
    const result = this.#keep(done);
    if (result === "failed") throw calls.causeOf(done.value);
    return result;
  }

  #keep({ value: result, bytes }: WithBytes<JobResult | Ended>): LineResult | undefined | "failed" {
    if (result.kind === "unfinished") return undefined;
    if (result.kind === "ended") {
      const isMemory = result.why === "memory";
      this.#status = isMemory ? OUT_OF_MEMORY.exitCode : EXIT_INTERRUPTED;
      return { output: isMemory ? OUT_OF_MEMORY.sentence : "", status: this.#status, exits: false };
    }
    if (result.kind !== "line") return "failed";
    const { output, status, exits, cwd, variables, scratch } = result;
    this.#status = status;
    this.#cwd = cwd;
    this.#variables = variables;
    // A copy, so that the received frame can be freed.
    this.#scratch = { entries: scratch, bytes: new Uint8Array(bytes ?? []) };
    return { output, status, exits };
  }
}
