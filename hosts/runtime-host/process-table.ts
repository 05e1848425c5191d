import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Environment variable that the workspace server sets for all processes of a command, a shell or a program. */
const MARK = "WORKSPACE_COMMAND=";

export interface SandboxProcess {
  pid: number;
  /** Threads, of which a process has at least one. */
  tasks: number;
  /** Bytes that are private or shared with other processes, but not backed by a file. */
  memoryBytes: number;
}

/** Returns all descendants of a process: a sandbox's processes, since its first process adopts orphans. */
export function descendants(root: number): SandboxProcess[] {
  const children = new Map<number, SandboxProcess[]>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const status = Number.isInteger(pid) ? read(`/proc/${name}/status`) : undefined;
    if (status === undefined) continue;
    const parent = field(status, "PPid");
    const found = { pid, tasks: field(status, "Threads"), memoryBytes: memoryOf(status) };
    const siblings = children.get(parent);
    if (siblings) siblings.push(found);
    else children.set(parent, [found]);
  }
  const all: SandboxProcess[] = [];
  const add = (pid: number) => {
    for (const child of children.get(pid) ?? []) {
      all.push(child);
      add(child.pid);
    }
  };
  add(root);
  return all;
}

/**
 * Returns the mark of the command, shell or program of a process; "" for the server itself and for a process that has
 * removed its mark. `undefined` for a process that is just ending and has no variables any more.
 */
export function markOf(pid: number): string | undefined {
  const variables = read(`/proc/${pid}/environ`);
  if (!variables) return undefined;
  const mark = variables.split("\0").find((line) => line.startsWith(MARK));
  return mark?.slice(MARK.length) ?? "";
}

/** While a fork bomb runs, a round finds only some of its processes; stopped processes start no new ones. */
const MAX_ROUNDS = 200;

/**
 * Stops all processes below `root` that match `isMeant`, including those started meanwhile. `areAll` is false when there is
 * no end to them.
 */
export async function stopAll(
  root: number,
  isMeant: (pid: number) => boolean,
): Promise<{ stopped: ReadonlySet<number>; areAll: boolean }> {
  const stopped = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = descendants(root).filter(({ pid }) => !stopped.has(pid) && isMeant(pid));
    if (found.length === 0) return { stopped, areAll: true };
    for (const { pid } of found) {
      signal(pid, "SIGSTOP");
      stopped.add(pid);
    }
    // Yields, because a round takes a while with many processes.
    await pause(1);
  }
  return { stopped, areAll: false };
}

const GONE_TIMEOUT_MS = 5_000;
const GONE_POLL_MS = 10;

/** Kills those of the given processes that are still below `root`, and waits until the kernel has released them. */
export async function killAll(root: number, pids: ReadonlySet<number>): Promise<void> {
  const remaining = () => descendants(root).filter(({ pid }) => pids.has(pid));
  for (const { pid } of remaining()) signal(pid, "SIGKILL");
  const deadline = Date.now() + GONE_TIMEOUT_MS;
  while (remaining().length > 0 && Date.now() < deadline) await pause(GONE_POLL_MS);
}

const STOPPED_TIMEOUT_MS = 5_000;

/**
 * Kills a process and all below it. It is stopped before: a sandbox that is just being made and loses its outermost process
 * between making its first one and telling it to end with its parent would run on, below nobody.
 */
export async function killTree(root: number): Promise<void> {
  signal(root, "SIGSTOP");
  const deadline = Date.now() + STOPPED_TIMEOUT_MS;
  while (isRunning(root) && Date.now() < deadline) await pause(1);
  for (const { pid } of descendants(root)) signal(pid, "SIGKILL");
  signal(root, "SIGKILL");
}

/** Whether a process is neither stopped nor gone. A signal reaches it when it leaves the kernel, perhaps with one more child. */
function isRunning(pid: number): boolean {
  const state = /^State:\s+(\w)/mu.exec(read(`/proc/${pid}/status`) ?? "")?.[1];
  return state !== undefined && !STOPPED_OR_GONE.has(state);
}

/** Source: proc(5). */
const STOPPED_OR_GONE: ReadonlySet<string> = new Set(["T", "t", "Z", "X"]);

/** Sends a signal; ignores a process that is gone. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function memoryOf(status: string): number {
  return (field(status, "RssAnon") + field(status, "RssShmem")) * 1024;
}

/** Returns a number of /proc/<pid>/status; 0 where it is missing, such as the memory of a process that has ended. */
function field(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "mu").exec(status)?.[1] ?? 0);
}

/** `undefined` for a process that is gone or not readable. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
