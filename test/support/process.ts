import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

/** Ends a start that hangs, and nothing else: the first one makes a database, for which a busy machine takes over a minute. */
const START_TIMEOUT_MS = 600_000;
const GONE_POLL_MS = 20;

/** `everything` kills all processes of the service at once; after the others, the rest lives on for a moment. */
export type Victim = "everything" | "node" | "workerd";

/** The service as a process of its own, as `npm start` runs it. */
export interface ServiceProcess {
  /** The address of its ready line. Rejects when it ends without one. */
  ready: Promise<string>;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
  /** What it has written to standard error. */
  stderr(): string;
  /** SIGKILL; `onStrike` hears of it at once. Resolves when the victims are gone; for `node`, when its workerd is gone too. */
  kill(victim?: Victim, onStrike?: () => void): Promise<void>;
}

/** Starts the service with these environment variables, in a process group of its own. An `entry` runs in place of `npm start`'s. */
export function spawnService(variables: Readonly<Record<string, string>>, entry?: string): ServiceProcess {
  const child = spawn("sh", ["local/start.sh", ...(entry === undefined ? [] : [entry])], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...variables },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("The service could not be spawned");
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "exit").then(([code, signal]) => code ?? signal);

  const firstLine = once(createInterface({ input: child.stdout }), "line").then(([line]) => String(line));
  const ready = Promise.race([
    firstLine,
    ended.then((how) => Promise.reject(new Error(`The service ended with ${how}:\n${stderr}`))),
    pause(START_TIMEOUT_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error(`The service is not ready after ${START_TIMEOUT_MS} ms:\n${stderr}`)),
    ),
  ]).then((line) => line.replace(/^ready /u, ""));
  ready.catch(() => {}); // the service may be killed while it starts, before a caller waits

  return {
    ready,
    ended,
    stderr: () => stderr,
    async kill(victim = "everything", onStrike = () => {}) {
      if (victim === "workerd") {
        const workerd = (await groupOf(pid)).find(({ command }) => command.includes("workerd"));
        if (!workerd) throw new Error("There is no workerd to kill");
        process.kill(workerd.pid, "SIGKILL");
        onStrike();
        return untilGone(pid, [workerd.pid]);
      }
      strike(victim === "node" ? pid : -pid);
      onStrike();
      await ended;
      return untilGone(pid);
    },
  };
}

/** One that is dead already is left in peace. */
function strike(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

interface Running {
  pid: number;
  command: string;
}

/** The living processes of a group, without zombies. */
async function groupOf(group: number): Promise<Running[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,pgid=,stat=,comm="]);
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, pgid, stat]) => Number(pgid) === group && !stat?.startsWith("Z"))
    .map(([pid, , , ...command]) => ({ pid: Number(pid), command: command.join(" ") }));
}

async function untilGone(group: number, only?: readonly number[]): Promise<void> {
  const still = async () => (await groupOf(group)).some(({ pid }) => !only || only.includes(pid));
  while (await still()) await pause(GONE_POLL_MS);
}
