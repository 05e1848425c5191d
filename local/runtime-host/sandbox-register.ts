import type { ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { descendants, signal } from "./process-table.ts";

/**
 * The sandboxes that run, as empty files named after their processes, so that the next start of a service that was killed
 * finds what is left. Sandboxes die with the service that started them; this is for the one that did not.
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

  /** Kill what an earlier service has left. A process that was given the same number since is another one. */
  killRemains(): void {
    for (const name of readdirSync(this.#dir)) {
      const [pid = 0, started] = name.split("-").map(Number);
      if (startTime(pid) === started) {
        const [first] = descendants(pid);
        if (first) signal(first.pid, "SIGKILL");
        signal(pid, "SIGKILL");
      }
      rmSync(path.join(this.#dir, name), { force: true });
    }
  }
}

/** In clock ticks since the machine started: the 22nd field of /proc/<pid>/stat, the 20th behind the name. See proc(5). */
function startTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
  } catch {
    return undefined;
  }
}
