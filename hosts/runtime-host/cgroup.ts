import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { SPARE_TASKS, type ProjectLimits } from "./limits.ts";

export interface Usage {
  memoryBytes: number;
  /** Processes and threads. */
  tasks: number;
  /** Processes wait for memory above the limit. */
  isStuck: boolean;
}

/** A control group of the kernel (version 1 or 2) around one sandbox. */
interface Cgroup {
  /** Files to which a process writes its id in order to join. */
  join: readonly string[];
  usage: () => Usage;
  /** Removes the group once its processes are gone. */
  remove(): Promise<void>;
}

/** Makes control groups, on a machine that lets the service do so. */
export interface CgroupMaker {
  make(name: string, limits: ProjectLimits): Cgroup;
  /** Removes the parent of the groups, once these are gone. */
  close(): Promise<void>;
}

/** Weight relative to other work, so that the service comes first when both want the processor. */
const CPU_WEIGHT = 0.25;
const CPU_PERIOD_MICROSECONDS = 100_000;
/** Factor of the hard limit, at which the kernel kills a process; the watchdog, which can report why, acts earlier. */
const HARD_MEMORY = 1.25;

/**
 * Returns how this machine lets the service make control groups; `undefined` when it does not, as for most users who
 * are not root: limits then rest on resource limits and the watchdog. `folder` names the service's groups, so that two
 * services on one machine stay separate.
 */
export async function findCgroups(folder: string): Promise<CgroupMaker | undefined> {
  for (const candidate of [version2(folder), version1(folder)]) {
    if (candidate && (await works(candidate))) return candidate;
  }
  return undefined;
}

const TRIAL: ProjectLimits = { memoryBytes: 2 ** 28, tasks: 64, cpuPercent: 100, diskBytes: 0 };

async function works(maker: CgroupMaker): Promise<boolean> {
  let trial: Cgroup | undefined;
  try {
    trial = maker.make("trial", TRIAL);
    const join = trial.join.map((file) => `echo 0 > '${file}'`).join(" && ");
    await promisify(execFile)("sh", ["-c", join]);
    trial.usage();
    return true;
  } catch {
    return false;
  } finally {
    await trial?.remove().catch(() => undefined);
  }
}

/** The unified hierarchy: the nearest writable group above this process that delegates memory and pids. */
function version2(folder: string): CgroupMaker | undefined {
  const own = ownGroups().get("");
  const root = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].find((dir) =>
    existsSync(path.join(dir, "cgroup.controllers")),
  );
  if (own === undefined || root === undefined) return undefined;
  for (let group = path.join(root, own); group.startsWith(root); group = path.dirname(group)) {
    const handed = existsSync(group) ? read(group, "cgroup.subtree_control").split(/\s+/u) : [];
    if (!handed.includes("memory") || !handed.includes("pids")) continue;
    const parent = path.join(group, folder);
    return {
      make: (name, limits) => makeVersion2(parent, name, limits, handed),
      close: () => removeGroups([parent]),
    };
  }
  return undefined;
}

function makeVersion2(
  parent: string,
  name: string,
  limits: ProjectLimits,
  controllers: readonly string[],
): Cgroup {
  const group = path.join(parent, name);
  mkdirSync(parent, { recursive: true });
  const handed = ["memory", "pids", "cpu"].filter((controller) => controllers.includes(controller));
  write(parent, "cgroup.subtree_control", handed.map((controller) => `+${controller}`).join(" "));
  mkdirSync(group, { recursive: true });
  // Above `high` the kernel slows down processes that allocate more.
  write(group, "memory.high", limits.memoryBytes);
  write(group, "memory.max", Math.round(limits.memoryBytes * HARD_MEMORY));
  write(group, "pids.max", limits.tasks + SPARE_TASKS);
  if (handed.includes("cpu")) {
    write(group, "cpu.weight", Math.round(100 * CPU_WEIGHT));
    write(group, "cpu.max", `${limits.cpuPercent * 1000} ${CPU_PERIOD_MICROSECONDS}`);
  }
  return {
    join: [path.join(group, "cgroup.procs")],
    usage: () => {
      const memory = keyed(read(group, "memory.stat"));
      return {
        memoryBytes: (memory.get("anon") ?? 0) + (memory.get("shmem") ?? 0),
        tasks: Number(read(group, "pids.current")),
        isStuck: false,
      };
    },
    remove: () => removeGroups([group]),
  };
}

/** A separate hierarchy for each controller. */
function version1(folder: string): CgroupMaker | undefined {
  const own = ownGroups();
  const parentOf = (controller: string) => {
    const group = own.get(controller);
    return group === undefined ? undefined : path.join("/sys/fs/cgroup", controller, group, folder);
  };
  const memory = parentOf("memory");
  const pids = parentOf("pids");
  const cpu = parentOf("cpu");
  if (memory === undefined || pids === undefined) return undefined;
  return {
    make: (name, limits) => makeVersion1({ memory, pids, cpu }, name, limits),
    close: () => removeGroups([memory, pids, ...(cpu === undefined ? [] : [cpu])]),
  };
}

function makeVersion1(
  parents: { memory: string; pids: string; cpu: string | undefined },
  name: string,
  limits: ProjectLimits,
): Cgroup {
  const memory = path.join(parents.memory, name);
  const pids = path.join(parents.pids, name);
  const cpu = parents.cpu === undefined ? undefined : path.join(parents.cpu, name);
  const groups = [memory, pids, ...(cpu === undefined ? [] : [cpu])];
  for (const group of groups) mkdirSync(group, { recursive: true });
  write(memory, "memory.limit_in_bytes", Math.round(limits.memoryBytes * HARD_MEMORY));
  // Processes that allocate more wait until the watchdog has ended the offender.
  write(memory, "memory.oom_control", 1);
  write(pids, "pids.max", limits.tasks + SPARE_TASKS);
  if (cpu !== undefined) {
    write(cpu, "cpu.shares", Math.round(1024 * CPU_WEIGHT));
    write(cpu, "cpu.cfs_period_us", CPU_PERIOD_MICROSECONDS);
    write(cpu, "cpu.cfs_quota_us", limits.cpuPercent * 1000);
  }
  return {
    join: groups.map((group) => path.join(group, "cgroup.procs")),
    usage: () => {
      const stat = keyed(read(memory, "memory.stat"));
      return {
        memoryBytes: (stat.get("total_rss") ?? 0) + (stat.get("total_shmem") ?? 0),
        tasks: Number(read(pids, "pids.current")),
        isStuck: keyed(read(memory, "memory.oom_control")).get("under_oom") === 1,
      };
    },
    remove: () => removeGroups(groups),
  };
}

/**
 * Returns the groups of this process by controller; "" is the unified hierarchy. Format: cgroups(7),
 * /proc/[pid]/cgroup.
 */
function ownGroups(): Map<string, string> {
  const groups = new Map<string, string>();
  if (!existsSync("/proc/self/cgroup")) return groups;
  for (const line of readFileSync("/proc/self/cgroup", "utf8").split("\n")) {
    const [, controllers, ...group] = line.split(":");
    for (const controller of controllers?.split(",") ?? []) groups.set(controller, group.join(":"));
  }
  return groups;
}

const REMOVE_TRIES = 50;
const REMOVE_PAUSE_MS = 20;

/** Removes groups, with retries: the kernel takes a moment to release a group whose last process has ended. */
async function removeGroups(groups: readonly string[]): Promise<void> {
  for (const group of groups) {
    for (let tries = 1; existsSync(group); tries += 1) {
      try {
        rmdirSync(group);
      } catch (error) {
        if (tries >= REMOVE_TRIES) throw error;
        await pause(REMOVE_PAUSE_MS);
      }
    }
  }
}

/** Parses lines of a name and a number. */
function keyed(content: string): Map<string, number> {
  return new Map(
    content.split("\n").map((line): [string, number] => {
      const [name = "", value] = line.split(" ");
      return [name, Number(value)];
    }),
  );
}

function read(group: string, file: string): string {
  return readFileSync(path.join(group, file), "utf8").trim();
}

function write(group: string, file: string, value: string | number): void {
  writeFileSync(path.join(group, file), String(value));
}
