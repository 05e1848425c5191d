import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { Env } from "#src/env.ts";
import { objectSettings } from "../lib/settings.ts";

/** What terminals and logs need of the outside. */
export interface SocketDeps {
  db: Db;
  queue: Queue;
  workspaces: ProjectWorkspaces;
  secrets: Secrets;
  log: Log;
  config: Env;
}

export function socketDeps(bindings: object): SocketDeps {
  const { env, db, queue, workspaces, secrets, log } = objectSettings(bindings);
  return { db: db(), queue: queue(), workspaces: workspaces(), secrets: secrets(), log, config: env };
}
