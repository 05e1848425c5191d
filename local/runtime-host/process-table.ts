import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Set by the workspace server for all that a command, a shell or a program starts. */
const MARK = "WORKSPACE_COMMAND=";

export interface SandboxProcess {
  pid: number;
  /** Threads, of which a process has at least one. */
  tasks: number;
  /** Bytes of its own or shared with other processes, but not backed by a file. */
  memoryBytes: number;
}

/** The processes that descend from this one: a sandbox's, since its first process adopts what loses its parent. */
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
 * What a process runs on behalf of: the mark of a command, shell or program, or "" for the server itself and whatever has
 * rid itself of its mark. `undefined` for a process that is just ending, which has no variables any more.
 */
export function markOf(pid: number): string | undefined {
  const variables = read(`/proc/${pid}/environ`);
  if (!variables) return undefined;
  const mark = variables.split("\0").find((line) => line.startsWith(MARK));
  return mark?.slice(MARK.length) ?? "";
}

/** While a fork bomb runs, what is found is only part of what is there: stopped processes start no new ones. */
const MAX_ROUNDS = 50;

/**
 * Kill all processes below `root` that `isMeant`, those too that start meanwhile. False when there is no end to them.
 */
export async function killAll(root: number, isMeant: (pid: number) => boolean): Promise<boolean> {
  const stopped = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = descendants(root).filter(({ pid }) => !stopped.has(pid) && isMeant(pid));
    for (const { pid } of found) {
      signal(pid, "SIGSTOP");
      stopped.add(pid);
    }
    if (found.length === 0) {
      for (const pid of stopped) signal(pid, "SIGKILL");
      return true;
    }
    // Others get a turn: a round takes a while where there are many.
    await pause(1);
  }
  for (const pid of stopped) signal(pid, "SIGKILL");
  return false;
}

/** A process that is gone is left in peace. */
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

/** A number of /proc/<pid>/status; 0 where it is missing, as memory is of a process that has ended. */
function field(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "mu").exec(status)?.[1] ?? 0);
}

/** `undefined` for a process that is gone or not ours to read. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
