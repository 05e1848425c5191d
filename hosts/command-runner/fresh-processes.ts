import { ShellProcess } from "./shell-process.ts";

/** Spare processes, from the first command on: a start takes more than a tenth of a second. */
const SPARES = 2;
/** Most concurrent starts, so that one caller with many commands cannot block the others. */
const STARTS_AT_ONCE = 2;

interface Wanted {
  project: string;
  give: (process: ShellProcess) => void;
  fail: (reason: unknown) => void;
}

/** Processes that have run nothing yet. Waiting callers are served by the fewest running commands of their project. */
export class FreshProcesses {
  readonly #program: string;
  readonly #runningOf: (project: string) => number;
  #ready: ShellProcess[] = [];
  readonly #starting = new Set<ShellProcess>();
  #wanted: Wanted[] = [];
  #isClosed = false;

  constructor(program: string, { runningOf }: { runningOf: (project: string) => number }) {
    this.#program = program;
    this.#runningOf = runningOf;
  }

  /** Rejects with the signal's reason, and when a process does not start. */
  async take(project: string, signal: AbortSignal): Promise<ShellProcess> {
    signal.throwIfAborted();
    const wanted = Promise.withResolvers<ShellProcess>();
    const want: Wanted = { project, give: wanted.resolve, fail: wanted.reject };
    const leave = () => {
      this.#wanted = this.#wanted.filter((each) => each !== want);
      want.fail(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#wanted.push(want);
    this.#give();
    try {
      return await wanted.promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const process of [...this.#ready, ...this.#starting]) process.kill();
    for (const { fail } of this.#wanted.splice(0)) fail(new Error("The command runner is closed"));
  }

  /** A spare that does not start is not retried before the next command needs one. */
  #start(): void {
    const wanting = () => this.#wanted.length + SPARES - this.#ready.length - this.#starting.size;
    while (!this.#isClosed && this.#starting.size < STARTS_AT_ONCE && wanting() > 0) {
      const process = new ShellProcess(this.#program);
      this.#starting.add(process);
      void this.#follow(process);
    }
  }

  async #follow(process: ShellProcess): Promise<void> {
    try {
      await process.ready();
    } catch (error) {
      this.#starting.delete(process);
      this.#wanted.shift()?.fail(error);
      if (this.#wanted.length > 0) this.#start();
      return;
    }
    this.#starting.delete(process);
    this.#ready.push(process);
    this.#give();
  }

  #give(): void {
    this.#ready = this.#ready.filter((process) => !process.isOver);
    while (this.#ready.length > 0 && this.#wanted.length > 0) {
      const [next] = this.#wanted.toSorted(
        (one, other) => this.#runningOf(one.project) - this.#runningOf(other.project),
      );
      const process = this.#ready.shift();
      if (!next || !process) return;
      this.#wanted = this.#wanted.filter((each) => each !== next);
      next.give(process);
    }
    this.#start();
  }
}
