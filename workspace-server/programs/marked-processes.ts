import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Every program starts with this variable, and its processes inherit it: detached ones are found by it. */
const MARK = "WORKSPACE_COMMAND";

/** Rounds of searching and killing before the rest is left, for example if the kernel does not release a process. */
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
 * The processes of a program: those that carry its mark, are in its session (`leader`), or descend from one of these. A
 * program can overwrite its environment in memory, as some do to show a title, or leave its session; only an orphan
 * that does both escapes, until the sandbox ends.
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
 * Kills a program with all its processes, and returns how many it found running. All are stopped first, so that a fork
 * bomb cannot outrun this. It may resolve before the kernel has cleaned up, but a killed process does nothing any more.
 */
export async function killMarked(id: string, leader: number): Promise<number> {
  let found = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const running = stopAll(id, leader);
    if (running.length === 0) break;
    if (round === 0) found = running.length;
    for (const pid of running) send(pid, "SIGKILL");
    await setTimeout(ROUND_MS);
  }
  return found;
}

/** Stops processes until a round finds no new one. */
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
    // The process has ended by itself.
  }
}

/** Returns all processes except this one and zombies. Source: proc(5), /proc/pid/stat. */
function processLines(): ProcessLine[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((name) => {
      const text = readProc(`/proc/${name}/stat`);
      // The second field is a name in parentheses, which may contain any character.
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

/** Empty for a process that is gone, or belongs to another user. */
function readProc(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
