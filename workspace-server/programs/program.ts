import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { AppError } from "#src/lib/errors.ts";
import { codeOf } from "../file-failure.ts";
import { haveListener } from "./listeners.ts";
import { killMarked, markedProcesses, markOf, signalMarked } from "./marked-processes.ts";

const EXIT_KILLED = 137;
/** How long output may still arrive once all processes that could write it are dead. */
const LAST_OUTPUT_MS = 1000;

export interface ProgramSpec {
  file: string;
  args: readonly string[];
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** A program in a separate session, with all its processes, which end with it. */
export class Program {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its exit code, 128 + n when signal n ended it, once all its processes are dead and its output has been read. */
  readonly ended: Promise<number>;
  readonly mark: string;
  readonly #pid: number;
  #limit: string | undefined;
  #leftBehind = 0;

  private constructor(
    mark: string,
    pid: number,
    pipes: { stdin: Writable; stdout: Readable; stderr: Readable },
    ended: (program: Program) => Promise<number>,
  ) {
    this.mark = mark;
    this.#pid = pid;
    this.stdin = pipes.stdin;
    this.stdout = pipes.stdout;
    this.stderr = pipes.stderr;
    this.ended = ended(this);
  }

  /** Starts a program. Throws `AppError`s: `unavailable` where there is no such program, or too many are running. */
  static async start({ file, args, cwd, env }: ProgramSpec): Promise<Program> {
    const mark = randomUUID();
    const options = { cwd, env: { ...env, ...markOf(mark) }, detached: true } as const;
    const child = launch(() => spawn(file, args, { ...options, stdio: ["pipe", "pipe", "pipe"] }));
    const exited = new Promise<number>((resolve) => {
      child.once("exit", (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(asStartFailure(error, file)));
    });
    preferToServer(child.pid ?? 0);
    // A program that closes its input during a write is not an error.
    child.stdin.on("error", () => undefined);
    child.on("error", () => undefined);
    return new Program(mark, child.pid ?? 0, child, async (program) => {
      const code = await exited;
      program.#leftBehind = await program.kill();
      const late = new AbortController();
      const timeout = setTimeout(LAST_OUTPUT_MS, undefined, { signal: late.signal }).catch(() => undefined);
      await Promise.race([closed, timeout]);
      late.abort();
      child.stdout.destroy();
      child.stderr.destroy();
      return program.limit === undefined ? code : EXIT_KILLED;
    });
  }

  /** The sentence about the limit that ended it, if any. */
  get limit(): string | undefined {
    return this.#limit;
  }

  /** It is being killed because of a limit. */
  overLimit(message: string): void {
    this.#limit = message;
  }

  /** Sends a signal to it and all its processes. */
  signal(signal: NodeJS.Signals): void {
    signalMarked(this.mark, this.#pid, signal);
  }

  /** Number of its processes that were still running when it ended, and were killed. */
  get leftBehind(): number {
    return this.#leftBehind;
  }

  /** Kills it and all its processes; returns how many were running. */
  kill(): Promise<number> {
    return killMarked(this.mark, this.#pid);
  }

  /** Whether it or one of its processes listens on a TCP port. */
  listensOn(port: number): boolean {
    const pids = markedProcesses(this.mark, this.#pid).map(({ pid }) => pid);
    return haveListener(pids, port);
  }

  /** Returns the path of the terminal of the first of its processes that has one. */
  terminal(): string | undefined {
    const device = markedProcesses(this.mark, this.#pid).find(({ terminal }) => terminal !== 0)?.terminal;
    // A Unix98 pseudoterminal: majors 136 to 143, 256 minors each. Source: devices.txt of the kernel; makedev(3).
    if (device === undefined) return undefined;
    const major = (device >> 8) & 0xfff;
    const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
    return major >= 136 && major <= 143 ? `/dev/pts/${(major - 136) * 256 + minor}` : undefined;
  }
}

/** When memory runs out, the kernel should choose a program before this server. Source: proc(5), oom_score_adj. */
function preferToServer(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "500");
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

/** Maps a start error that is thrown at once; other start errors arrive as an event. */
function launch<T>(start: () => T): T {
  try {
    return start();
  } catch (error) {
    throw asStartFailure(error, "");
  }
}

function asStartFailure(error: unknown, file: string): unknown {
  switch (codeOf(error) ?? "") {
    case "ENOENT":
      return new AppError("unavailable", `This runtime has no ${file}`, { cause: error });
    case "EACCES":
    case "ENOTDIR":
      return new AppError("unavailable", `${file} cannot be run: it is not an executable file`, {
        cause: error,
      });
    case "E2BIG":
      return new AppError("too_large", "The command is longer than this runtime takes (128 KiB)", {
        cause: error,
      });
    case "EAGAIN":
    case "ENOMEM":
      return new AppError("unavailable", "The project runs too many programs; stop some and try again", {
        cause: error,
      });
    default:
      return error;
  }
}
