import { checkEnv, outboundPolicy, type Env } from "#src/env.ts";
import type { GitTransport } from "#src/git/transport.ts";
import type { CommandRunner } from "#src/platform/command-runner/command-runner.ts";
import { createCommandRunner } from "#src/platform/command-runner/index.ts";
import { createDb, type Db } from "#src/platform/db/client.ts";
import { createGitTransport } from "#src/platform/git-transport/index.ts";
import { createLog, type Log } from "#src/platform/log/log.ts";
import { rateLimits, rateRules, type RateLimits } from "#src/platform/objects/rate-limits.ts";
import { taskLogs, type TaskLogs } from "#src/platform/objects/task-logs.ts";
import { createQueue } from "#src/platform/queue/qstash.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { createWorkspaces } from "#src/platform/runtime/index.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { createSecrets, type Secrets } from "#src/platform/secrets/secrets.ts";
import { newTrips } from "#src/platform/trips.ts";

/** What an object needs of the outside: checked configuration, a way to publish, a log. */
export interface ObjectSettings {
  env: Env;
  queue: () => Queue;
  log: Log;
  db: () => Db;
  workspaces: () => ProjectWorkspaces;
  secrets: () => Secrets;
  taskLogs: () => TaskLogs;
  rateLimits: () => RateLimits;
  /** Where emulated commands run. */
  commandRunner: () => CommandRunner;
  /** The way to git hosts; more than `maxBytes` of one answer is refused. */
  gitTransport: (maxBytes: number) => GitTransport;
}

/** Throws when the configuration is not valid; routes have answered 503 before an object is ever asked. */
export function objectSettings(bindings: object): ObjectSettings {
  const checked = checkEnv(bindings);
  if (!checked.ok)
    throw new Error(`Configuration: ${checked.problems.map((each) => each.variable).join(", ")}`);
  const { env } = checked;
  const queue = () =>
    createQueue({
      url: env.QSTASH_URL,
      token: env.QSTASH_TOKEN,
      publicUrl: env.PUBLIC_URL,
      trips: newTrips(),
    });
  const gitTransport = (maxBytes: number) =>
    createGitTransport({ ...outboundPolicy(env), egressUrl: env.EGRESS_URL, maxBytes });
  const db = () => createDb({ databaseUrl: env.DATABASE_URL, httpUrl: env.NEON_HTTP_URL, trips: newTrips() });
  const log = createLog();
  const workspaces = () => createWorkspaces(env, newTrips(), log);
  const secrets = () => createSecrets(env.SECRET_KEY);
  const objects = {
    taskLogs: () => taskLogs(env.TASK_LOG, newTrips()),
    rateLimits: () => rateLimits(env.RATE_LIMITER, rateRules(env), newTrips()),
  };
  const commandRunner = () =>
    createCommandRunner({ url: env.COMMAND_RUNNER_URL, loader: env.LOADER, assets: env.ASSETS });
  return { ...objects, env, queue, log, db, workspaces, secrets, gitTransport, commandRunner };
}
