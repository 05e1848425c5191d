import os from "node:os";
import { FreshProcesses } from "./fresh-processes.ts";
import type { ShellProcess } from "./shell-process.ts";

const MEGABYTE = 1024 * 1024;
/** Memory reserved for each process: a quarter of the machine's memory is used for them. */
const COUNTED_BYTES = 256 * MEGABYTE;
const [FEWEST, MOST] = [4, 24];
/**
 * Idle processes that wait for the next command of their project: most in all, most of one project, and for how long.
 */
const WARM = 6;
const WARM_OF_ONE = 2;
const WARM_MS = 30_000;
const WATCH_MS = 200;

export interface PoolSize {
  /** Most concurrent commands, of all projects and of one. */
  all: number;
  perProject: number;
}

/** Returns as many places as the machine's memory allows; one project gets at most a third of them. */
export function poolSize(memoryBytes = os.totalmem()): PoolSize {
  const all = Math.min(Math.max(Math.floor(memoryBytes / 4 / COUNTED_BYTES), FEWEST), MOST);
  return { all, perProject: Math.max(2, Math.floor(all / 3)) };
}

/** A process leased for one command. */
export interface Lease {
  process: ShellProcess;
  /** Returns the process: idle, for the next command of its project, or otherwise to be killed. Idempotent. */
  release(options: { idle: boolean }): void;
}

interface Waiting {
  project: string;
  grant: () => void;
}

interface Warm {
  project: string;
  process: ShellProcess;
  since: number;
}

/** The processes that run commands. A process never serves two projects. */
export class ProcessPool {
  readonly #size: PoolSize;
  readonly #fresh: FreshProcesses;
  #warm: Warm[] = [];
  readonly #busy = new Set<ShellProcess>();
  /** Places taken, by project, including commands whose process is still starting. */
  readonly #taken = new Map<string, number>();
  #waiting: Waiting[] = [];
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(program: string, size: PoolSize) {
    this.#size = size;
    this.#fresh = new FreshProcesses(program, { runningOf: (project) => this.#takenBy(project) });
    this.#timer = setInterval(() => this.#watch(), WATCH_MS);
    this.#timer.unref();
  }

  /**
   * Returns a process for one command of a project, once there is a place. Waiting callers are served by the fewest
   * running commands of their project. Rejects with the signal's reason, and when no process starts.
   */
  async take(project: string, signal: AbortSignal): Promise<Lease> {
    await this.#place(project, signal);
    try {
      const process = this.#takeWarm(project) ?? (await this.#fresh.take(project, signal));
      this.#busy.add(process);
      return this.#lease(process, project);
    } catch (error) {
      this.#leave(project);
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#fresh.close();
    const warm = this.#warm.map(({ process }) => process);
    for (const process of [...warm, ...this.#busy]) process.kill();
  }

  async #place(project: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#mayRun(project)) return this.#enter(project);
    await new Promise<void>((resolve, reject) => {
      const waiting = { project, grant: resolve };
      this.#waiting.push(waiting);
      signal.addEventListener("abort", () => {
        const before = this.#waiting.length;
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        if (this.#waiting.length < before) reject(signal.reason);
      });
    });
  }

  #takeWarm(project: string): ShellProcess | undefined {
    const warm = this.#warm.findLast((each) => each.project === project && !each.process.isOver);
    this.#warm = this.#warm.filter((each) => each !== warm);
    return warm?.process;
  }

  #lease(process: ShellProcess, project: string): Lease {
    let isOver = false;
    const release = ({ idle }: { idle: boolean }) => {
      if (isOver) return;
      isOver = true;
      this.#busy.delete(process);
      if (idle && process.isFresh && !this.#isClosed) this.#keepWarm(process, project);
      else process.kill();
      this.#leave(project);
    };
    return { process, release };
  }

  #mayRun(project: string): boolean {
    const all = [...this.#taken.values()].reduce((sum, each) => sum + each, 0);
    return all < this.#size.all && this.#takenBy(project) < this.#size.perProject;
  }

  #takenBy(project: string): number {
    return this.#taken.get(project) ?? 0;
  }

  #enter(project: string): void {
    this.#taken.set(project, this.#takenBy(project) + 1);
  }

  #leave(project: string): void {
    const left = this.#takenBy(project) - 1;
    if (left > 0) this.#taken.set(project, left);
    else this.#taken.delete(project);
    const [next] = this.#waiting
      .filter((waiting) => this.#mayRun(waiting.project))
      .toSorted((one, other) => this.#takenBy(one.project) - this.#takenBy(other.project));
    if (!next) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
    this.#enter(next.project);
    next.grant();
  }

  #keepWarm(process: ShellProcess, project: string): void {
    this.#warm.push({ project, process, since: Date.now() });
    const own = this.#warm.filter((each) => each.project === project);
    const surplus = own.length > WARM_OF_ONE ? own[0] : this.#warm.length > WARM ? this.#warm[0] : undefined;
    if (surplus) this.#endWarm([surplus]);
  }

  #endWarm(ended: readonly Warm[]): void {
    for (const { process } of ended) process.kill();
    this.#warm = this.#warm.filter((each) => !ended.includes(each));
  }

  #watch(): void {
    for (const process of this.#busy) process.watch();
    this.#endWarm(this.#warm.filter(({ process, since }) => process.isOver || Date.now() - since > WARM_MS));
  }
}
