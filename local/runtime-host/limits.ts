/** What everything that runs in one project may use together. */
export interface ProjectLimits {
  memoryBytes: number;
  /** Processes and threads. */
  tasks: number;
  /** Of one core; 200 is two. */
  cpuPercent: number;
  diskBytes: number;
}

/** Files and directories, of whatever size: a file system has only so many of them. */
export const MAX_ENTRIES = 1_000_000;

/** Names what was exceeded, for whoever reads the output of the command that did. */
export const exceeded = {
  memory: ({ memoryBytes }: ProjectLimits) =>
    `The project is over its memory limit of ${inMiB(memoryBytes)} MiB`,
  tasks: ({ tasks }: ProjectLimits) => `The project is over its limit of ${tasks} processes and threads`,
  disk: ({ diskBytes }: ProjectLimits) => `The project is over its disk limit of ${inMiB(diskBytes)} MiB`,
} as const;

/** What the kernel allows beyond the limit, so that the workspace server can still act while the offender is stopped. */
export const SPARE_TASKS = 64;

function inMiB(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
