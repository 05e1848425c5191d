import type { Services } from "#src/services.ts";
import { objectConfig, objectServices } from "../lib/object-services.ts";

export interface TaskLogSettings {
  /** For the watchdog. Built on demand: most tasks end without it, and thousands of their objects are in memory. */
  services: () => Pick<Services, "queue" | "log">;
  /** Silence after which an executor counts as dead, in milliseconds. */
  stallMs: number;
  /** Attempts in a row without progress after which a task fails. */
  maxAttempts: number;
  /** How long a log is kept after the end, in milliseconds. */
  retentionMs: number;
  /** Most open streams of one person. */
  maxStreams: number;
}

export function taskLogSettings(bindings: object): TaskLogSettings {
  const config = objectConfig(bindings);
  return {
    services: () => objectServices(bindings),
    stallMs: config.TASK_STALL_SECONDS * 1000,
    maxAttempts: config.TASK_MAX_ATTEMPTS,
    maxStreams: config.MAX_STREAMS_PER_TASK,
    retentionMs: config.TASK_LOG_RETENTION_DAYS * 24 * 60 * 60 * 1000,
  };
}
