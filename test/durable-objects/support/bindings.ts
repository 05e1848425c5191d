import { env } from "cloudflare:workers";
import { checkEnv } from "#src/env.ts";

const checked = checkEnv(env);
if (!checked.ok) throw new Error(`bindings: ${JSON.stringify(checked.problems)}`);

/** The bindings of the tests, as the service has them. */
export const bindings = checked.env;
