import type { Services } from "#src/services.ts";
import { objectServices } from "../lib/object-services.ts";

export interface TaskLogSettings {
  services: Pick<Services, "queue" | "log">;
  /** Silence after which an executor counts as dead, in milliseconds. */
  stallMs: number;
  /** Attempts in a row without progress after which a task fails. */
  maxAttempts: number;
  /** How long a log is kept after the end, in milliseconds. */
  retentionMs: number;
}

export function taskLogSettings(bindings: object): TaskLogSettings {
  const services = objectServices(bindings);
  const { config: env } = services;
  return {
    services,
    stallMs: env.TASK_STALL_SECONDS * 1000,
    maxAttempts: env.TASK_MAX_ATTEMPTS,
    retentionMs: env.TASK_LOG_RETENTION_DAYS * 24 * 60 * 60 * 1000,
  };
}
