import type { Client } from "pg";
import { cpuOf, cpuOfProcess, type CpuTime } from "../processes.ts";

const SAMPLE_MS = 250;

/** CPU time of the workerd that this process has started. */
export function workerCpuMs(): number {
  return whole(cpuOf(process.pid).workerd);
}

const whole = ({ user, system }: CpuTime): number => user + system;

/**
 * CPU time of the PostgreSQL processes of one database. A process ends with its connection, so all are polled four
 * times a second, and each counts with its last observed value.
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
    for (const { pid } of rows)
      this.#seen.set(pid, Math.max(whole(cpuOfProcess(pid)), this.#seen.get(pid) ?? 0));
  }
}
