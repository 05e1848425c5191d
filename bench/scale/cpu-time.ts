import { readFileSync } from "node:fs";
import type { Client } from "pg";
import { processTree } from "../processes.ts";

/** Clock ticks in a second; fixed on Linux. See proc(5), `utime`, and sysconf(3), `_SC_CLK_TCK`. */
const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 250;

/** Milliseconds of CPU, user and system, of a process since it began; 0 for one that is gone. */
function cpuMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [utime = 0, stime = 0] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return ((utime + stime) * 1000) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** CPU of the workerd that this process has started. */
export function workerCpuMs(): number {
  const workers = processTree(process.pid).filter(({ command }) => command.includes("workerd"));
  return workers.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
}

/**
 * CPU of the PostgreSQL processes that serve one database. A connection that is closed takes its process with it, so they are
 * looked at four times a second and each counts as it was last seen.
 */
export class DatabaseCpu {
  readonly #client: Client;
  readonly #database: string;
  readonly #seen = new Map<number, number>();
  readonly #sampling: ReturnType<typeof setInterval>;

  constructor(client: Client, database: string) {
    this.#client = client;
    this.#database = database;
    this.#sampling = setInterval(() => void this.#sample(), SAMPLE_MS);
  }

  async total(): Promise<number> {
    await this.#sample();
    return [...this.#seen.values()].reduce((sum, ms) => sum + ms, 0);
  }

  stop(): void {
    clearInterval(this.#sampling);
  }

  async #sample(): Promise<void> {
    const { rows } = await this.#client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE datname = $1",
      [this.#database],
    );
    for (const { pid } of rows) this.#seen.set(pid, Math.max(cpuMs(pid), this.#seen.get(pid) ?? 0));
  }
}
