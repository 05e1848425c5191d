import { modelSettings, type ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { RateLimits } from "#src/platform/objects/rate-limits.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { Env } from "#src/env.ts";
import { objectSettings } from "../lib/settings.ts";

/** What terminals, logs and chats need of the outside. */
export interface SocketDeps {
  db: Db;
  queue: Queue;
  workspaces: ProjectWorkspaces;
  secrets: Secrets;
  taskLogs: TaskLogs;
  rateLimits: RateLimits;
  log: Log;
  config: Env;
  modelSettings: ModelSettings;
}

export function socketDeps(bindings: object): SocketDeps {
  const { env: config, log, ...make } = objectSettings(bindings);
  return {
    db: make.db(),
    queue: make.queue(),
    workspaces: make.workspaces(),
    secrets: make.secrets(),
    taskLogs: make.taskLogs(),
    rateLimits: make.rateLimits(),
    log,
    config,
    modelSettings: modelSettings(config),
  };
}
