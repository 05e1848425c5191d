import { setTimeout } from "node:timers/promises";
import type { ProcessState } from "#src/platform/runtime/project-processes.ts";
import { programEnvironment } from "./environment.ts";
import { LineLog } from "./line-log.ts";
import type { Program } from "./program.ts";
import type { Programs } from "./programs.ts";

/** How long a program may take to end by itself. */
const TERM_MS = 5000;
/** Most names that are remembered; the oldest ones without a running program are dropped first. */
const MAX_NAMES = 200;

interface Started {
  program: Program;
  startedAt: number;
  exitCode: number | null;
}

interface Named {
  log: LineLog;
  started?: Started;
  /** Operations on this name, one after the other. */
  turn: Promise<unknown>;
}

/** Long-running programs by name. A name keeps its log from one program to the next. */
export class Processes {
  readonly #root: string;
  readonly #programs: Programs;
  readonly #named = new Map<string, Named>();

  constructor(root: string, programs: Programs) {
    this.#root = root;
    this.#programs = programs;
  }

  get isBusy(): boolean {
    return this.states().some(({ running }) => running);
  }

  states(): ProcessState[] {
    return [...this.#named].flatMap(([name, { started }]) =>
      started
        ? {
            name,
            running: started.exitCode === null,
            exitCode: started.exitCode,
            startedAt: started.startedAt,
          }
        : [],
    );
  }

  /** Starts a program in place of the one of this name. */
  async start(
    name: string,
    spec: { command: string; cwd: string; env: Readonly<Record<string, string>> },
  ): Promise<void> {
    const named = this.#open(name);
    await inTurn(named, async () => {
      await stop(named.started);
      const program = await this.#programs.start({
        file: "/bin/bash",
        args: ["-c", spec.command],
        cwd: spec.cwd,
        env: programEnvironment(this.#root, spec.env),
      });
      program.stdin.end();
      const started: Started = { program, startedAt: Date.now(), exitCode: null };
      // The previous program has written its last output by now.
      named.log.beginRun();
      for (const stream of [program.stdout, program.stderr]) {
        const source = named.log.source();
        stream.on("data", (chunk: Uint8Array) => source.write(chunk));
        stream.once("close", () => source.end());
      }
      void recordEnd(started, named.log);
      named.started = started;
    });
  }

  async stop(name: string): Promise<void> {
    const named = this.#named.get(name);
    if (named) await inTurn(named, () => stop(named.started));
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#named.keys()].map((name) => this.stop(name)));
  }

  listensOn(name: string, port: number): boolean {
    const started = this.#named.get(name)?.started;
    return started?.exitCode === null && started.program.listensOn(port);
  }

  /** Returns the log of a name, creating it for a new name. */
  log(name: string): LineLog {
    return this.#open(name).log;
  }

  tail(name: string, lines: number, options: { ofLastRun: boolean }): string[] {
    return this.#named.get(name)?.log.tail(lines, options) ?? [];
  }

  #open(name: string): Named {
    const there = this.#named.get(name);
    if (there) return there;
    const idle = [...this.#named].find(([, { started }]) => !started || started.exitCode !== null);
    if (this.#named.size >= MAX_NAMES && idle) this.#named.delete(idle[0]);
    const named: Named = { log: new LineLog(), turn: Promise.resolve() };
    this.#named.set(name, named);
    return named;
  }
}

async function recordEnd(started: Started, log: LineLog): Promise<void> {
  started.exitCode = await started.program.ended;
  if (started.program.limit !== undefined) log.add([started.program.limit]);
}

/** Sends SIGTERM, and kills what remains after a while. */
async function stop(started: Started | undefined): Promise<void> {
  if (!started || started.exitCode !== null) return;
  const { program } = started;
  program.signal("SIGTERM");
  const ended = new AbortController();
  const tooLate = setTimeout(TERM_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([program.ended, tooLate]);
  ended.abort();
  await program.kill();
  await program.ended;
}

function inTurn<T>(named: Named, act: () => Promise<T>): Promise<T> {
  const mine = named.turn.then(act);
  named.turn = mine.catch(() => undefined);
  return mine;
}
