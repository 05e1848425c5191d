import { setTimeout as pause } from "node:timers/promises";
import { AppError } from "#src/lib/errors.ts";
import { PIPE_END, PIPE_SIGN_MS, type PipeEnd } from "#src/platform/runtime/project-pipes.ts";
import { BoundedOutput } from "./bounded-output.ts";
import { programEnvironment } from "./environment.ts";
import type { Program } from "./program.ts";
import type { Programs } from "./programs.ts";

/** Most programs at once whose input and output are a caller's. */
const MAX_PIPES = 20;
/** Most bytes that wait for a program to read them. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** How long a program may take to end once its input has. */
const END_MS = 1_000;
/** Most bytes of error output that are told at the end: the beginning and the end of a longer one. */
const MAX_ERRORS = 4096;
/** How long a caller may give no sign: some signs may be late or lost. */
const SILENCE_MS = 5 * PIPE_SIGN_MS;

/** Rings once its caller has been silent for too long. */
interface Alarm {
  /** The caller has given a sign. */
  restart(): void;
  stop(): void;
}
export type Alarms = (ring: () => void) => Alarm;

const afterSilence: Alarms = (ring) => {
  const timer = setTimeout(ring, SILENCE_MS).unref();
  return { restart: () => void timer.refresh(), stop: () => clearTimeout(timer) };
};

interface Pipe {
  program: Program;
  silence: Alarm;
}

/**
 * Programs whose input and output are a caller's. Each ends, with all its processes, when its caller is gone: when its connection
 * ends, or when it has given no sign for `SILENCE_MS`, because a connection may be lost without an end.
 */
export class Pipes {
  readonly #root: string;
  readonly #programs: Programs;
  readonly #alarms: Alarms;
  /** Undefined while one starts. */
  readonly #running = new Map<string, Pipe | undefined>();

  constructor(root: string, programs: Programs, alarms: Alarms = afterSilence) {
    this.#root = root;
    this.#programs = programs;
    this.#alarms = alarms;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Starts a program, and returns its output; see `ProjectPipes`. */
  async open(
    id: string,
    spec: { file: string; args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> },
    gone: AbortSignal,
  ): Promise<AsyncGenerator<Uint8Array, undefined>> {
    if (this.#running.has(id)) throw new AppError("conflict", "This program runs already");
    if (this.#running.size >= MAX_PIPES) {
      throw new AppError("unavailable", `The project runs ${MAX_PIPES} such programs already; try again`);
    }
    this.#running.set(id, undefined);
    let program: Program;
    try {
      program = await this.#programs.start({ ...spec, env: programEnvironment(this.#root, spec.env) });
    } catch (error) {
      this.#running.delete(id);
      throw error;
    }
    const end = () => void endOf(program);
    const silence = this.#alarms(end);
    this.#running.set(id, { program, silence });
    void program.ended.finally(() => {
      silence.stop();
      this.#running.delete(id);
    });
    gone.addEventListener("abort", end, { once: true });
    if (gone.aborted) end();
    return outputOf(program);
  }

  /** Passes input on. An empty text is a sign of the caller alone. */
  write(id: string, data: string): void {
    const pipe = this.#running.get(id);
    if (!pipe) throw new AppError("conflict", "The program has ended");
    pipe.silence.restart();
    const { stdin } = pipe.program;
    if (data === "") return;
    if (stdin.writableLength > MAX_UNREAD_BYTES) {
      throw new AppError("unavailable", "The program does not read its input");
    }
    stdin.write(data);
  }

  /** Ends all that have started; `Programs.endStarting` ends the others. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#running.values()].map(async (pipe) => pipe?.program.kill()));
  }
}

/** The output as it comes, and a last line about the end. Nothing more is read than the reader takes. */
async function* outputOf(program: Program): AsyncGenerator<Uint8Array, undefined> {
  const errors = new BoundedOutput(MAX_ERRORS);
  program.stderr.on("data", (chunk: Uint8Array) => errors.add(chunk));
  try {
    const chunks = program.stdout.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    for (;;) {
      // Output that breaks off is the end of the program.
      const next = await chunks.next().catch(() => undefined);
      if (!next || next.done) break;
      if (next.value instanceof Uint8Array) yield next.value;
    }
    const exitCode = await program.ended;
    const end: PipeEnd = { exitCode, errors: program.limit ?? errors.text() };
    yield Buffer.from(`\n${PIPE_END}${JSON.stringify(end)}\n`);
  } finally {
    await endOf(program);
  }
}

/** A program whose input ends may put its things in order, for a moment; then it is killed with all its processes. */
async function endOf(program: Program): Promise<void> {
  program.stdin.end();
  await Promise.race([program.ended, pause(END_MS, undefined, { ref: false })]);
  await program.kill();
}
