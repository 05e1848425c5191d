import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const MEGABYTE = 1024 * 1024;
/** Heap of one process. The memory that its shell accounts for is limited to a third of it. */
const HEAP_MB = 192;
const START = path.join(import.meta.dirname, "start-shell.cjs");
/** Total memory of a process: strings outside the heap, buffers, and Node itself included. */
const RESIDENT_BYTES = 512 * MEGABYTE;
/** A process with more memory than this after a command is not reused. */
const IDLE_BYTES = 160 * MEGABYTE;
/** A command that has used more processor time gets a lower priority. */
const URGENT_MS = 300;
const PAGE_BYTES = 4096;
/** Linux counts a process' time in hundredths of a second. */
const TICK_MS = 10;
const TIMES_IN_STAT = [11, 12] as const;
/** Signals with which V8 ends a process whose heap is full. */
const OUT_OF_MEMORY: ReadonlySet<string | null> = new Set(["SIGABRT", "SIGTRAP", "SIGILL"]);

export type End = "memory" | "lost";

/** Events of a process for its user. */
export interface ShellListener {
  onFrame(frame: Uint8Array): void;
  /** The job is over, and the process may take another. */
  onIdle(): void;
  onEnd(why: End): void;
}

/** A process that runs shell jobs. It has no environment, reads no file but its own program, and writes none. */
export class ShellProcess {
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  #listener: ShellListener | undefined;
  /** Processor time and wall clock time when the job began. */
  #began: { usedMs: number | undefined; at: number } | undefined;
  #isSlow = false;
  #isOverMemory = false;
  #isOver = false;

  /** `program` is a file of `makeShellProgram`. */
  constructor(program: string) {
    this.#child = fork(START, [program], {
      env: {},
      execArgv: [
        `--max-old-space-size=${HEAP_MB}`,
        "--permission",
        `--allow-fs-read=${START}`,
        `--allow-fs-read=${program}`,
      ],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#child.on("message", (message) => this.#take(message));
    // The exit is reported instead; sending to a process that has just ended is not an error.
    this.#child.on("error", () => {});
    this.#child.once("exit", (_code, signal) => this.#end(signal));
    this.#ready = this.#untilReady();
    // The user of the process awaits it, if there is one.
    this.#ready.catch(() => {});
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the process can be reused for another command of the same project. */
  get isFresh(): boolean {
    return !this.#isOver && !this.#isSlow && this.#residentBytes() < IDLE_BYTES;
  }

  /** Rejects when the process ended before it was ready. */
  ready(): Promise<void> {
    return this.#ready;
  }

  listen(listener: ShellListener): void {
    if (this.#isOver) return listener.onEnd("lost");
    this.#listener = listener;
    this.#began = { usedMs: this.#usedMs(), at: Date.now() };
  }

  send(frame: Uint8Array): void {
    if (this.#child.connected) this.#child.send(frame);
  }

  /** Called periodically while the process runs a job. */
  watch(): void {
    if (!this.#began || this.#isOver) return;
    this.#judge(this.#began);
    if (this.#residentBytes() > RESIDENT_BYTES) {
      this.#isOverMemory = true;
      this.kill();
    }
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #take(message: unknown): void {
    if (message instanceof Uint8Array) return this.#listener?.onFrame(message);
    if (message !== "idle") return;
    const listener = this.#listener;
    this.#listener = undefined;
    if (this.#began) this.#judge(this.#began);
    this.#began = undefined;
    listener?.onIdle();
  }

  #end(signal: string | null): void {
    this.#isOver = true;
    this.#listener?.onEnd(this.#isOverMemory || OUT_OF_MEMORY.has(signal) ? "memory" : "lost");
    this.#listener = undefined;
  }

  async #untilReady(): Promise<void> {
    const ended = new AbortController();
    this.#child.once("exit", () => ended.abort());
    await once(this.#child, "message", { signal: ended.signal });
  }

  #judge({ usedMs: before, at }: { usedMs: number | undefined; at: number }): void {
    const used = this.#usedMs();
    const ownMs = used === undefined || before === undefined ? Date.now() - at : used - before;
    if (this.#isSlow || ownMs <= URGENT_MS) return;
    this.#isSlow = true;
    this.#makeNice();
  }

  #makeNice(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      os.setPriority(pid, os.constants.priority.PRIORITY_LOW);
    } catch {
      // It has just ended.
    }
  }

  /** Processor time so far; `undefined` where the system does not report it. */
  #usedMs(): number | undefined {
    try {
      // The name of the program, in parentheses, may contain any character.
      const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
      const all = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return TIMES_IN_STAT.reduce((sum, place) => sum + Number(all[place]) * TICK_MS, 0);
    } catch {
      return undefined;
    }
  }

  /** Returns 0 where the system does not report it: only the heap's limit applies then. */
  #residentBytes(): number {
    try {
      const [, pages] = readFileSync(`/proc/${this.#child.pid}/statm`, "utf8").split(" ");
      return Number(pages) * PAGE_BYTES;
    } catch {
      return 0;
    }
  }
}
