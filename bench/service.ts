import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

/** Limits that are meant to hold callers back would be all that is measured. */
export const UNLIMITED = { USER_RATE_PER_MINUTE: "0", CHAT_RATE_PER_MINUTE: "0", KEY_RATE_BURST: "0" };
/** Variables of the person who runs the bench that say nothing about the service. */
const KEPT = ["PATH", "HOME", "DATABASE_URL", "NODE_OPTIONS"];

export interface Service {
  url: string;
  pid: number;
  /** From the start of the process to its ready line, in milliseconds. */
  startMs: number;
  /** When the ready line came, in milliseconds of `performance.now()`. */
  readyAt: number;
  /** SIGTERM, and the time until it is gone in milliseconds. */
  stop(): Promise<number>;
  /** SIGKILL to it and all it started. */
  kill(): Promise<void>;
}

/** The service as `npm start` runs it: a process of its own, on any free port. Throws what it said when it does not start. */
export async function startService(
  dataDir: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const kept = KEPT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  const started = performance.now();
  const child = spawn("sh", ["local/start.sh"], {
    env: { ...Object.fromEntries(kept), PORT: "0", DATA_DIR: dataDir, ...UNLIMITED, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that all of it can be killed at once.
    detached: true,
  });
  const closed = once(child, "close");
  const signal = (name: NodeJS.Signals) => child.pid !== undefined && process.kill(-child.pid, name);
  const abandon = () => signal("SIGKILL");
  process.once("exit", abandon);
  void closed.then(() => process.off("exit", abandon));

  const errors = text(child.stderr);
  const url = await readyLine(child.stdout);
  if (url === undefined || child.pid === undefined) throw new Error(`It did not start: ${await errors}`);
  const readyAt = performance.now();
  return {
    url,
    pid: child.pid,
    startMs: readyAt - started,
    readyAt,
    async stop() {
      const asked = performance.now();
      child.kill("SIGTERM");
      await closed;
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
