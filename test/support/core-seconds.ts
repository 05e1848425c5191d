import { readdirSync, readFileSync } from "node:fs";
import { afterAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Processor seconds that a file took: its worker's, and those of all that it started. Undefined where no /proc tells. */
    coreSeconds?: number | undefined;
  }
}

/** /proc counts processor time in hundredths of a second (USER_HZ, proc(5)). */
const TICKS_PER_SECOND = 100;

interface Process {
  pid: number;
  parent: number;
  /** Its own, and that of children that ended and were waited for. */
  ticks: number;
}

/** Processor seconds so far of a process and of all that descends from it, living or ended. Undefined without /proc. */
function coreSecondsOf(root: number): number | undefined {
  const processes = readProcesses();
  if (processes.length === 0) return undefined;
  const family = new Set([root]);
  // A child may stand before its parent in the list.
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid);
  }
  const ticks = processes.filter(({ pid }) => family.has(pid)).reduce((sum, each) => sum + each.ticks, 0);
  return ticks / TICKS_PER_SECOND;
}

function readProcesses(): Process[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/u.test(name))
      .flatMap((name) => readProcess(Number(name)) ?? []);
  } catch {
    return [];
  }
}

function readProcess(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program stands in brackets and may have spaces. After it: state, parent, and from the 12th on times.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
    return { pid, parent: Number(fields[1]), ticks };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

const before = coreSecondsOf(process.pid);

// oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures it must make: none.
afterAll(({}, { file }) => {
  const after = coreSecondsOf(process.pid);
  file.meta.coreSeconds = before === undefined || after === undefined ? undefined : after - before;
});
