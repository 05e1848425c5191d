/** Limits for all processes of one project together. */
export interface ProjectLimits {
  memoryBytes: number;
  /** Processes and threads. */
  tasks: number;
  /** Percent of one core; 200 is two cores. */
  cpuPercent: number;
  diskBytes: number;
}

/** Files and directories of any size: a file system has only a limited number. */
export const MAX_ENTRIES = 1_000_000;

/** Sentences about an exceeded limit, for the output of the offending command. */
export const exceeded = {
  memory: ({ memoryBytes }: ProjectLimits) =>
    `The project is over its memory limit of ${inMiB(memoryBytes)} MiB`,
  tasks: ({ tasks }: ProjectLimits) => `The project is over its limit of ${tasks} processes and threads`,
  disk: ({ diskBytes }: ProjectLimits) => `The project is over its disk limit of ${inMiB(diskBytes)} MiB`,
} as const;

/**
 * Tasks that the kernel allows above the limit, so that the workspace server can still act while the offender is
 * stopped.
 */
export const SPARE_TASKS = 64;

function inMiB(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
