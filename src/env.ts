import { z } from "zod";
import type { ProjectSocketsObject } from "#durable-objects/project-sockets/protocol.ts";
import type { ProjectSandboxObject } from "#durable-objects/project-sandbox/protocol.ts";
import type { ProjectWorkspaceObject } from "#durable-objects/project-workspace/protocol.ts";
import type { RateLimiterObject } from "#durable-objects/rate-limiter/protocol.ts";
import type { TaskLogObject } from "#durable-objects/task-log/protocol.ts";
import type { OutboundPolicy } from "#src/lib/outbound-url.ts";
import { problemsOf, Variables, withRules, type ConfigurationProblem } from "./configuration/index.ts";

const binding = <T>() =>
  z.custom<T>((value) => typeof value === "object" && value !== null, "binding missing");

const Schema = withRules(
  Variables.extend({
    TASK_LOG: binding<DurableObjectNamespace<TaskLogObject>>(),
    PROJECT_WORKSPACE: binding<DurableObjectNamespace<ProjectWorkspaceObject>>(),
    /** In deployments of wrangler.sandbox.toml only. */
    PROJECT_SANDBOX: binding<DurableObjectNamespace<ProjectSandboxObject>>().optional(),
    PROJECT_SOCKETS: binding<DurableObjectNamespace<ProjectSocketsObject>>(),
    RATE_LIMITER: binding<DurableObjectNamespace<RateLimiterObject>>(),
    PROJECT_FILES: binding<R2Bucket>(),
    PROJECT_ARCHIVES: binding<R2Bucket>(),
    ASSETS: binding<Fetcher>(),
    /** Isolates for emulated commands. Without it, and without COMMAND_RUNNER_URL, `embedded` refuses commands. */
    LOADER: binding<WorkerLoader>().optional(),
  }).refine((env) => env.PROJECT_RUNTIME !== "sandbox" || env.PROJECT_SANDBOX !== undefined, {
    path: ["PROJECT_SANDBOX"],
    error: "binding missing: PROJECT_RUNTIME=sandbox is deployed with wrangler.sandbox.toml",
  }),
);

/** What the Worker runs with: the variables of configuration.ts and the bindings of wrangler.toml. */
export type Env = z.output<typeof Schema>;

export type CheckedEnv = { ok: true; env: Env } | { ok: false; problems: ConfigurationProblem[] };

/** By the bindings, which the Worker and its objects share and which do not change as long as an isolate lives. */
const checkedEnvs = new WeakMap<object, CheckedEnv>();

/**
 * Check everything at once; a bad configuration is reported whole, not one variable at a time. Done once for the same bindings:
 * each object that is made asks anew.
 */
export function checkEnv(bindings: object): CheckedEnv {
  const known = checkedEnvs.get(bindings);
  if (known) return known;
  const result = Schema.safeParse(bindings);
  const checked: CheckedEnv = result.success
    ? { ok: true, env: result.data }
    : { ok: false, problems: problemsOf(result.error) };
  checkedEnvs.set(bindings, checked);
  return checked;
}

/** Which addresses that users give may be reached beyond the public internet. */
export function outboundPolicy(
  env: Pick<Env, "OUTBOUND_ALLOW_PRIVATE" | "OUTBOUND_ALLOWED_ORIGINS">,
): OutboundPolicy {
  return {
    allowPrivate: env.OUTBOUND_ALLOW_PRIVATE,
    allowedOrigins: (env.OUTBOUND_ALLOWED_ORIGINS ?? "").split(",").filter((origin) => origin !== ""),
  };
}
