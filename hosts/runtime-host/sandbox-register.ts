import type { ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { killTree } from "./process-table.ts";

/**
 * Register of running sandboxes, as empty files named after their processes, so that the start after a kill finds the
 * remaining ones. Sandboxes normally die with the service; this is for any that did not.
 */
export class SandboxRegister {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
    mkdirSync(dir, { recursive: true });
  }

  add({ pid }: ChildProcess): { remove: () => void } {
    const started = pid === undefined ? undefined : startTime(pid);
    if (started === undefined) return { remove: () => {} };
    const file = path.join(this.#dir, `${pid}-${started}`);
    writeFileSync(file, "");
    return { remove: () => rmSync(file, { force: true }) };
  }

  /** Kills sandboxes that an earlier service has left. A process with the same id but another start time is ignored. */
  async killRemains(): Promise<void> {
    for (const name of readdirSync(this.#dir)) {
      const [pid = 0, started] = name.split("-").map(Number);
      if (startTime(pid) === started) await killTree(pid);
      rmSync(path.join(this.#dir, name), { force: true });
    }
  }
}

/**
 * Returns the start time in clock ticks since the machine started: the 22nd field of /proc/<pid>/stat, the 20th after
 * the name. See proc(5).
 */
function startTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
  } catch {
    return undefined;
  }
}
