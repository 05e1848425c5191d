import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

interface Process {
  pid: number;
  parent: number;
  /** Resident memory in bytes. */
  resident: number;
  command: string;
}

/** A process and all its descendants. */
function processTree(root: number): Process[] {
  const all = listProcesses();
  const tree = all.filter(({ pid }) => pid === root);
  // The list grows during the iteration.
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/** The two parts of a running service. */
export interface Halves<T> {
  /** The Worker and its Durable Objects. */
  workerd: T;
  /** `local/`: Node with the stand-ins and hosts, and their child processes except workerd. */
  node: T;
}

/** Resident memory of a service in MiB. */
export function memoryOf(root: number): Halves<number> {
  return halve(root, (tree) => tree.reduce((bytes, { resident }) => bytes + resident, 0) / 2 ** 20);
}

export interface CpuTime {
  /** Milliseconds. */
  user: number;
  /** Milliseconds in the kernel. */
  system: number;
}

/**
 * CPU time of a service since its start, over all threads. Linux only: read from `/proc`, with a resolution of 10 ms.
 */
export function cpuOf(root: number): Halves<CpuTime> {
  return halve(root, (tree) => {
    const times = tree.map(({ pid }) => cpuOfProcess(pid));
    return {
      user: times.reduce((sum, { user }) => sum + user, 0),
      system: times.reduce((sum, { system }) => sum + system, 0),
    };
  });
}

function halve<T>(root: number, sum: (processes: Process[]) => T): Halves<T> {
  const tree = processTree(root);
  return { workerd: sum(tree.filter(isWorkerd)), node: sum(tree.filter((each) => !isWorkerd(each))) };
}

const isWorkerd = ({ command }: Process): boolean => command.includes("workerd");

/** The unit in which Linux reports CPU time on every architecture (`USER_HZ`): hundredths of a second. */
const TICK_MS = 10;

/**
 * CPU time of one process over all its threads; zero for one that has ended. Fields 14 and 15 of proc(5)'s `stat`,
 * counted from the closing bracket of the name, because the name may contain anything.
 */
export function cpuOfProcess(pid: number): CpuTime {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (process.platform === "linux") return { user: 0, system: 0 };
    throw new Error("CPU time is read from /proc, which only Linux has", { cause: error });
  }
  const afterName = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { user: Number(afterName[11]) * TICK_MS, system: Number(afterName[12]) * TICK_MS };
}

function listProcesses(): Process[] {
  const output = execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss=,comm="], { encoding: "utf8" });
  return output
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, kilobytes, ...command] = line.trim().split(/\s+/u);
      return {
        pid: Number(pid),
        parent: Number(parent),
        resident: Number(kilobytes) * 1024,
        command: command.join(" "),
      };
    });
}
