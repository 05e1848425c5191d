import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

/** Disabled, because limits that slow callers down would dominate the figures. */
export const UNLIMITED = {
  USER_RATE_PER_MINUTE: "0",
  CHAT_RATE_PER_MINUTE: "0",
  KEY_RATE_BURST: "0",
  CHANNEL_WEBHOOK_RATE_LIMIT: "0",
  CHANNEL_OWNER_RATE_LIMIT: "0",
};
/** A service that does not stop is killed after so long. */
const LONGEST_STOP_MS = 60_000;
/** Environment variables that are passed on; they do not configure the service. */
const KEPT = ["PATH", "HOME", "DATABASE_URL", "NODE_OPTIONS"];

/** How to kill each service that runs. */
const running = new Set<() => void>();

/** Kills all services, with SIGKILL. */
export function killServices(): void {
  for (const kill of running) kill();
}

process.once("exit", killServices);

export interface Service {
  url: string;
  pid: number;
  /** From the start of the process to its ready line, in milliseconds. */
  startMs: number;
  /** Time of the ready line, in milliseconds of `performance.now()`. */
  readyAt: number;
  /** Sends SIGTERM; resolves with the milliseconds until the process has ended. */
  stop(): Promise<number>;
  /** Sends SIGKILL to the process group. */
  kill(): Promise<void>;
}

/**
 * Runs the service as `npm start` does: as a separate process, on any free port. If it does not start, throws with its
 * error output.
 */
export async function startService(
  dataDir: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const kept = KEPT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  const started = performance.now();
  const child = spawn("sh", ["local/start.sh"], {
    env: { ...Object.fromEntries(kept), PORT: "0", DATA_DIR: dataDir, ...UNLIMITED, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    // Its own process group, so that all its processes can be killed at once.
    detached: true,
  });
  const closed = once(child, "close");
  const signal = (name: NodeJS.Signals) => child.pid !== undefined && process.kill(-child.pid, name);
  const abandon = () => {
    try {
      signal("SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  running.add(abandon);
  void closed.then(() => running.delete(abandon));

  const errors = text(child.stderr);
  const url = await readyLine(child.stdout);
  if (url === undefined || child.pid === undefined)
    throw new Error(`The service did not start: ${await errors}`);
  const readyAt = performance.now();
  return {
    url,
    pid: child.pid,
    startMs: readyAt - started,
    readyAt,
    async stop() {
      const asked = performance.now();
      child.kill("SIGTERM");
      const late = setTimeout(abandon, LONGEST_STOP_MS);
      await closed;
      clearTimeout(late);
      return performance.now() - asked;
    },
    async kill() {
      signal("SIGKILL");
      await closed;
    },
  };
}

async function readyLine(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const [word, url] = line.split(" ");
    if (word === "ready") return url;
  }
  return undefined;
}
