import { checkEnv, type Env } from "#src/env.ts";
import { createLog, type Log } from "#src/platform/log/log.ts";
import { createQueue } from "#src/platform/queue/qstash.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { newTrips } from "#src/platform/trips.ts";

/** What an object needs of the outside: checked configuration, a way to publish, a log. */
export interface ObjectSettings {
  env: Env;
  queue: () => Queue;
  log: Log;
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
  return { env, queue, log: createLog() };
}
