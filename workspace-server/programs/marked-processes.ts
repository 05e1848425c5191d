import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Every program is started with this variable, and what it starts inherits it: however it detaches, it is found. */
const MARK = "WORKSPACE_COMMAND";

/** Rounds of looking and killing before what is left is left: a kernel that does not let go of a process, say. */
const MAX_ROUNDS = 200;
const ROUND_MS = 10;

interface ProcessLine {
  pid: number;
  parent: number;
  session: number;
  /** Device number of its terminal; 0 for none. */
  terminal: number;
}

export function markOf(id: string): Readonly<Record<string, string>> {
  return { [MARK]: id };
}

/**
 * The processes of a program: those that carry its mark, are in the session it began (`leader`), or were started by one of
 * these. A program can overwrite its environment in memory, as some do to show a title, or leave its session; only one
 * that does both and is an orphan gets away, until the sandbox ends.
 */
export function markedProcesses(id: string, leader: number): ProcessLine[] {
  const mark = `${MARK}=${id}\0`;
  const found = new Map<number, ProcessLine>();
  for (const line of processLines()) {
    const { pid, parent, session } = line;
    if (session === leader || found.has(parent) || environmentOf(pid).includes(mark)) found.set(pid, line);
  }
  return [...found.values()];
}

export function signalMarked(id: string, leader: number, signal: NodeJS.Signals): void {
  for (const { pid } of markedProcesses(id, leader)) send(pid, signal);
}

/**
 * Kill a program with all it has started. Everything is stopped first, so that what multiplies cannot outrun this. Whoever
 * resolves earlier than the kernel has cleaned up is told nothing else: a killed process does nothing any more.
 */
export async function killMarked(id: string, leader: number): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const running = stopAll(id, leader);
    if (running.length === 0) return;
    for (const pid of running) send(pid, "SIGKILL");
    await setTimeout(ROUND_MS);
  }
}

/** Stop processes until a look finds no new one. */
function stopAll(id: string, leader: number): number[] {
  const stopped = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const running = markedProcesses(id, leader).filter(({ pid }) => !stopped.has(pid));
    if (running.length === 0) break;
    for (const { pid } of running) {
      send(pid, "SIGSTOP");
      stopped.add(pid);
    }
  }
  return [...stopped];
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** All processes but this one and those that are dead and only not yet buried. Source: proc(5), /proc/pid/stat. */
function processLines(): ProcessLine[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((name) => {
      const text = readProc(`/proc/${name}/stat`);
      // The second field is a name in parentheses, which may hold anything.
      const [state, parent, , session, terminal] = text.slice(text.lastIndexOf(")") + 2).split(" ");
      if (text === "" || state === "Z" || state === "X") return [];
      return {
        pid: Number(name),
        parent: Number(parent),
        session: Number(session),
        terminal: Number(terminal),
      };
    });
}

function environmentOf(pid: number): string {
  return `${readProc(`/proc/${pid}/environ`)}\0`;
}

/** Empty for a process that is gone, or is somebody else's. */
function readProc(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
