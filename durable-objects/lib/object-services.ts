import { checkEnv, type Env } from "#src/env.ts";
import { createLog } from "#src/platform/log/log.ts";
import { doneByWorker } from "./executor.ts";
import { createServices, type Services } from "#src/services.ts";

/**
 * Returns an object's configuration. Throws when it is invalid: the Worker has then returned 503 before it calls an
 * object.
 */
export function objectConfig(bindings: object): Env {
  const checked = checkEnv(bindings);
  if (checked.ok) return checked.env;
  throw new Error(`Configuration: ${checked.problems.map((each) => each.variable).join(", ")}`);
}

/**
 * Builds an object's services, as for a request. With the object's context, urgent messages are done by the Worker at once, see
 * `executor.ts`. Throws as `objectConfig` does.
 */
export function objectServices(bindings: object, ctx?: DurableObjectState): Services {
  const atOnce = ctx && doneByWorker({ exports: ctx.exports, waitUntil: (work) => ctx.waitUntil(work) });
  return createServices(objectConfig(bindings), createLog(), atOnce);
}
