import { setTimeout as pause } from "node:timers/promises";
import type { DiskWatch } from "./disk-watch.ts";
import { exceeded, type ProjectLimits } from "./limits.ts";
import { descendants, killAll, markOf, stopAll } from "./process-table.ts";
import type { SandboxProcess } from "./sandbox-process.ts";
import type { Sandbox } from "./sandbox.ts";

const TICK_MS = 250;
const HEALTH_EVERY_MS = 10_000;
const NOTICE_TIMEOUT_MS = 5_000;
/** An offender that still runs after this many consecutive ticks ends the whole sandbox. */
const MAX_STRIKES = 4;

export interface Watched {
  sandbox: Sandbox;
  disk: DiskWatch;
  limits: ProjectLimits;
  /** How long an idle sandbox stays without a request. */
  lingerMs: number;
}

/** Enforces a sandbox's limits, ends it when it is stuck or idle, and resolves when it has ended. */
export async function watch({ sandbox, disk, limits, lingerMs }: Watched): Promise<void> {
  let strikes = 0;
  let checkedAt = Date.now();
  while (!sandbox.hasEnded) {
    const excess = excessOf(sandbox.process, limits);
    strikes = excess ? strikes + 1 : 0;
    if (excess) await stopOffender(sandbox, excess, strikes > MAX_STRIKES);
    if (await disk.look()) await sandbox.end(exceeded.disk(limits));
    if (Date.now() - checkedAt >= Math.min(HEALTH_EVERY_MS, lingerMs)) {
      checkedAt = Date.now();
      const isBusy = await sandbox.isBusy();
      const isIdle = isBusy === false && sandbox.idleMs >= lingerMs;
      if (isBusy === undefined || isIdle) await sandbox.end();
    }
    await pause(TICK_MS, undefined, { ref: false });
  }
  await sandbox.end();
}

interface Excess {
  of: "memoryBytes" | "tasks";
  message: string;
}

/** Returns the limit that a sandbox exceeds. */
export function excessOf(process: SandboxProcess, limits: ProjectLimits): Excess | undefined {
  if (process.hasEnded) return undefined;
  const { memoryBytes, tasks, isStuck } = process.usage();
  if (tasks > limits.tasks) return { of: "tasks", message: exceeded.tasks(limits) };
  if (memoryBytes > limits.memoryBytes || isStuck) {
    return { of: "memoryBytes", message: exceeded.memory(limits) };
  }
  return undefined;
}

/** Ends the command, shell or program that uses most; the whole sandbox if that is unknown or does not help. */
async function stopOffender(sandbox: Sandbox, { of, message }: Excess, everything: boolean): Promise<void> {
  const offender = everything ? undefined : largestUser(sandbox.process.pid, of);
  if (!offender) return sandbox.end(message);
  const { pid: root } = sandbox.process;
  // Stopped, it no longer competes with the workspace server, which has to note the reason before the command ends.
  const { stopped, areAll } = await stopAll(root, (pid) => markOf(pid) === offender);
  // The server may lack the memory to respond until the offender is gone; the command then ends without the sentence.
  await sandbox.ask("POST", "/limits", { mark: offender, message }, NOTICE_TIMEOUT_MS).catch(() => {});
  if (!areAll) return sandbox.end(message);
  await killAll(root, stopped);
}

/** Returns the mark of the largest user. */
function largestUser(root: number, of: Excess["of"]): string | undefined {
  const use = new Map<string, number>();
  for (const { pid, [of]: value } of descendants(root)) {
    const mark = markOf(pid);
    if (mark !== undefined) use.set(mark, (use.get(mark) ?? 0) + value);
  }
  return [...use].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}
