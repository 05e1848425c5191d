import { checkEnv } from "#src/env.ts";
import { createLog } from "#src/platform/log/log.ts";
import { createServices, type Services } from "#src/services.ts";

/**
 * The services of an object, built where those of a request are. Throws when the configuration is not valid: the Worker has
 * then returned 503 before it calls an object.
 */
export function objectServices(bindings: object): Services {
  const checked = checkEnv(bindings);
  if (!checked.ok)
    throw new Error(`Configuration: ${checked.problems.map((each) => each.variable).join(", ")}`);
  return createServices(checked.env, createLog());
}
