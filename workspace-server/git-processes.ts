import { createInterface } from "node:readline";
import { AppError } from "#src/lib/errors.ts";
import { isReading } from "#src/git/is-reading.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { CloneInput, GitLine } from "#src/platform/runtime/http-runtime/protocol.ts";
import type { ProjectPaths } from "./files/project-paths.ts";
import { programEnvironment } from "./programs/environment.ts";
import type { Program } from "./programs/program.ts";
import type { Programs } from "./programs/programs.ts";
import { abandon, beginStaging, swapIn } from "./storage/swap.ts";

/** Git operations, each in a separate process of this same program: changing operations run one after the other. */
export class GitProcesses {
  readonly #paths: ProjectPaths;
  readonly #programs: Programs;
  readonly #running = new Set<Program>();
  #turn: Promise<unknown> = Promise.resolve();
  /** The clone of the latest term. Executors from before this server's start are gone together with the files. */
  #clone = { term: 0, superseded: new AbortController() };

  constructor(paths: ProjectPaths, programs: Programs) {
    this.#paths = paths;
    this.#programs = programs;
  }

  /** Yields the lines of the response. Ends early when the signal aborts. */
  async *run(name: string, input: unknown, gone: AbortSignal): AsyncGenerator<string, undefined> {
    if (isReading(name)) {
      yield* this.#start(this.#paths.root, name, input, gone);
      return;
    }
    const wanted = name === "clone" ? this.#appoint(CloneInput.parse(input).term, gone) : gone;
    const before = this.#turn;
    const mine = new AbortController();
    this.#turn = new Promise<void>((resolve) => {
      mine.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    try {
      await before;
      if (name === "clone") yield* this.#makeClone(input, wanted);
      else yield* this.#start(this.#paths.root, name, input, wanted);
    } finally {
      mine.abort();
    }
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#running].map((program) => program.kill()));
  }

  /** Returns a signal that aborts when a clone of a later term begins. */
  #appoint(term: number | undefined, gone: AbortSignal): AbortSignal {
    if (term === undefined) return gone;
    if (term < this.#clone.term) throw new AppError("conflict", "Another clone of the project has begun");
    this.#clone.superseded.abort();
    const superseded = new AbortController();
    this.#clone = { term, superseded };
    return AbortSignal.any([gone, superseded.signal]);
  }

  /** A clone is made beside the files and replaces them before success is reported. */
  async *#makeClone(input: unknown, gone: AbortSignal): AsyncGenerator<string, undefined> {
    const staged = beginStaging(this.#paths);
    try {
      for await (const text of this.#start(staged.directory, "clone", input, gone)) {
        const line = parseJson(text, GitLine);
        if ("ok" in line && line.ok) {
          if (gone.aborted) return;
          await swapIn(this.#paths, staged);
        }
        yield text;
      }
    } finally {
      await abandon(this.#paths, staged);
    }
  }

  async *#start(
    root: string,
    name: string,
    input: unknown,
    gone: AbortSignal,
  ): AsyncGenerator<string, undefined> {
    if (gone.aborted) return;
    const program = await this.#programs.start({
      file: process.execPath,
      args: [process.argv[1] ?? "", "git"],
      cwd: this.#paths.root,
      env: programEnvironment(this.#paths.root, {}),
    });
    const end = () => void program.kill();
    gone.addEventListener("abort", end, { once: true });
    this.#running.add(program);
    try {
      program.stderr.resume();
      program.stdin.end(JSON.stringify({ root, name, input }));
      yield* createInterface({ input: program.stdout, crlfDelay: Infinity });
    } finally {
      gone.removeEventListener("abort", end);
      await program.kill();
      this.#running.delete(program);
    }
  }
}
