import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AppError } from "#src/lib/errors.ts";
import type { ShellOutput } from "#src/platform/runtime/project-shells.ts";
import { programEnvironment } from "../programs/environment.ts";
import type { Program } from "../programs/program.ts";
import type { Programs } from "../programs/programs.ts";
import { OutputRing } from "./output-ring.ts";

/** Most input that waits for a program that does not read. */
const MAX_PENDING_BYTES = 1024 * 1024;
/** How long a program may take to end by itself once its terminal hangs up. */
const HANGUP_MS = 500;
const SCRIPT = "/usr/bin/script";
const run = promisify(execFile);

export interface ShellSpec {
  command: string;
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  columns: number;
  rows: number;
}

/** A program in a terminal, and its output. */
export class ShellSession {
  readonly output = new OutputRing();
  readonly #program: Program;
  #exitCode: number | null = null;
  #endedAt: number | undefined;

  private constructor(program: Program) {
    this.#program = program;
    program.stdout.on("data", (chunk: Uint8Array) => this.output.add(chunk));
    program.stderr.on("data", (chunk: Uint8Array) => this.output.add(chunk));
    void this.#end();
  }

  async #end(): Promise<void> {
    const program = this.#program;
    const exitCode = await program.ended;
    if (program.limit !== undefined) this.output.add(Buffer.from(`\r\n${program.limit}\r\n`));
    this.#exitCode = exitCode;
    this.#endedAt = Date.now();
    this.output.close();
  }

  /**
   * Opens a terminal with `script` of util-linux, which needs no native module: its input is what the user types, its
   * output is the screen. The terminal gets its size, and its echo, before the program begins.
   */
  static async open(
    root: string,
    programs: Programs,
    { command, cwd, env, columns, rows }: ShellSpec,
  ): Promise<ShellSession> {
    const inTerminal = `stty rows ${rows} cols ${columns} echo 2>/dev/null\n${command}`;
    const program = await programs.start({
      file: SCRIPT,
      // Options: quiet, flush after each write, return the program's exit code; the transcript is discarded.
      args: ["-qfec", inTerminal, "/dev/null"],
      cwd,
      env: programEnvironment(root, {
        TERM: "xterm-256color",
        HISTFILE: "/dev/null",
        PS1: "\\u@\\h:\\w\\$ ",
        ...env,
      }),
    });
    return new ShellSession(program);
  }

  /** When it ended, in milliseconds since the epoch; `undefined` while it runs. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  write(data: string): void {
    if (this.#endedAt !== undefined || !this.#program.stdin.writable) {
      throw new AppError("conflict", "The shell session is over");
    }
    if (this.#program.stdin.writableLength + Buffer.byteLength(data) > MAX_PENDING_BYTES) {
      throw new AppError("unavailable", "The program in the terminal does not read; try again");
    }
    this.#program.stdin.write(data);
  }

  read(position: number): ShellOutput {
    const { data, start, end } = this.output.read(position);
    const ended = this.#endedAt !== undefined && end === this.output.end;
    return { data, start, end, ended, exitCode: this.#exitCode };
  }

  /** Resizes the terminal. Does nothing for a session whose program has not reached its terminal yet, or is over. */
  async resize(columns: number, rows: number): Promise<void> {
    const terminal = this.#endedAt === undefined ? this.#program.terminal() : undefined;
    if (terminal === undefined) return;
    const size = ["-F", terminal, "rows", String(rows), "cols", String(columns)];
    // The program may end, and its terminal disappear, at any moment.
    await run("stty", size).catch(() => undefined);
  }

  /** Hangs up, as when a terminal's window is closed; remaining processes are killed. */
  async close(): Promise<void> {
    if (this.#endedAt !== undefined) return;
    this.#program.signal("SIGHUP");
    const timer = setTimeout(() => void this.#program.kill(), HANGUP_MS);
    await this.#program.ended;
    clearTimeout(timer);
  }
}
