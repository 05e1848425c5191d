import { AppError } from "#src/lib/errors.ts";
import type { ExecResult } from "#src/platform/runtime/project-runtime.ts";
import { BoundedOutput } from "./bounded-output.ts";
import { programEnvironment } from "./environment.ts";
import type { Program } from "./program.ts";
import type { Programs } from "./programs.ts";

const EXIT_TIMED_OUT = 124;
const EXIT_CANCELLED = 130;
const EXIT_KILLED = 137;

interface Running {
  end(exitCode: number, reason?: string): void;
  done: Promise<ExecResult>;
}

/** Shell commands that run to their end; none of their processes remain. */
export class Commands {
  readonly #root: string;
  readonly #programs: Programs;
  readonly #running = new Map<string, Running>();

  constructor(root: string, programs: Programs) {
    this.#root = root;
    this.#programs = programs;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Starts a command. Resolves when it has begun; its `result` resolves once all its processes are over. */
  async start(
    id: string,
    spec: { command: string; cwd: string; env: Readonly<Record<string, string>>; timeoutMs: number },
  ): Promise<{ result: Promise<ExecResult> }> {
    if (this.#running.has(id)) throw new AppError("conflict", "This command runs already");
    const program = await this.#programs.start({
      file: "/bin/bash",
      args: ["-c", spec.command],
      cwd: spec.cwd,
      env: programEnvironment(this.#root, spec.env),
    });
    program.stdin.end();
    const running = follow(program, spec.timeoutMs);
    this.#running.set(id, running);
    void running.done.finally(() => this.#running.delete(id));
    return { result: running.done };
  }

  /** Ends a running command. Returns whether there is one. */
  cancel(id: string): boolean {
    const running = this.#running.get(id);
    running?.end(EXIT_CANCELLED);
    return running !== undefined;
  }

  /** Ends all commands, with a sentence at the end of their error output. */
  async endAll(reason: string): Promise<void> {
    const running = [...this.#running.values()];
    for (const each of running) each.end(EXIT_KILLED, reason);
    await Promise.allSettled(running.map(({ done }) => done));
  }
}

/** The sentence about what a command started with `&`, with `nohup` or without. */
function leftBehind({ leftBehind: count }: Program): string {
  const ended = count === 1 ? "1 process in the background was" : `${count} processes in the background were`;
  return `${ended} ended with the command. Start what has to stay in a shell session.\n`;
}

function follow(program: Program, timeoutMs: number): Running {
  const stdout = new BoundedOutput();
  const stderr = new BoundedOutput();
  program.stdout.on("data", (chunk: Uint8Array) => stdout.add(chunk));
  program.stderr.on("data", (chunk: Uint8Array) => stderr.add(chunk));
  let early: number | undefined;
  const end = (exitCode: number, reason?: string) => {
    if (early !== undefined) return;
    early = exitCode;
    if (reason !== undefined) stderr.add(Buffer.from(`${reason}\n`));
    void program.kill();
  };
  const timer = setTimeout(() => end(EXIT_TIMED_OUT), timeoutMs);
  const done = program.ended.then((exitCode) => {
    clearTimeout(timer);
    if (program.limit !== undefined) stderr.add(Buffer.from(`${program.limit}\n`));
    else if (early === undefined && program.leftBehind > 0) stderr.add(Buffer.from(leftBehind(program)));
    return {
      stdout: stdout.text(),
      stderr: stderr.text(),
      exitCode: early ?? exitCode,
      timedOut: early === EXIT_TIMED_OUT,
    };
  });
  return { end, done };
}
