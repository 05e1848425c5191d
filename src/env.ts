import { z } from "zod";
import type { ChannelConnectionObject } from "#durable-objects/channel-connection/protocol.ts";
import type { GatewayShardObject } from "#durable-objects/gateway-shard/protocol.ts";
import type { ProjectSocketsObject } from "#durable-objects/project-sockets/protocol.ts";
import type { ProjectSandboxObject } from "#durable-objects/project-sandbox/protocol.ts";
import type { ProjectWorkspaceObject } from "#durable-objects/project-workspace/protocol.ts";
import type { RateLimiterObject } from "#durable-objects/rate-limiter/protocol.ts";
import type { TaskLogObject } from "#durable-objects/task-log/protocol.ts";
import type { TerminalsObject } from "#durable-objects/terminals/protocol.ts";
import type { OutboundPolicy } from "#src/lib/outbound-url.ts";
import { problemsOf, Variables, withRules, type ConfigurationProblem } from "./configuration/index.ts";

const binding = <T>() =>
  z.custom<T>((value) => typeof value === "object" && value !== null, "binding missing");

const Schema = withRules(
  Variables.extend({
    TASK_LOG: binding<DurableObjectNamespace<TaskLogObject>>(),
    PROJECT_WORKSPACE: binding<DurableObjectNamespace<ProjectWorkspaceObject>>(),
    /** Only in deployments with wrangler.sandbox.toml. */
    PROJECT_SANDBOX: binding<DurableObjectNamespace<ProjectSandboxObject>>().optional(),
    PROJECT_SOCKETS: binding<DurableObjectNamespace<ProjectSocketsObject>>(),
    RATE_LIMITER: binding<DurableObjectNamespace<RateLimiterObject>>(),
    TERMINALS: binding<DurableObjectNamespace<TerminalsObject>>(),
    CHANNEL_CONNECTION: binding<DurableObjectNamespace<ChannelConnectionObject>>(),
    GATEWAY_SHARDS: binding<DurableObjectNamespace<GatewayShardObject>>(),
    PROJECT_FILES: binding<R2Bucket>(),
    PROJECT_ARCHIVES: binding<R2Bucket>(),
    ASSETS: binding<Fetcher>(),
    /** Isolates for emulated commands. Without this binding and COMMAND_RUNNER_URL, `embedded` refuses commands. */
    LOADER: binding<WorkerLoader>().optional(),
  }).refine((env) => env.PROJECT_RUNTIME !== "sandbox" || env.PROJECT_SANDBOX !== undefined, {
    path: ["PROJECT_SANDBOX"],
    error: "binding missing: PROJECT_RUNTIME=sandbox is deployed with wrangler.sandbox.toml",
  }),
);

/** The Worker's environment: the variables of src/configuration and the bindings of wrangler.toml. */
export type Env = z.output<typeof Schema>;

export type CheckedEnv = { ok: true; env: Env } | { ok: false; problems: ConfigurationProblem[] };

/** Cached by the bindings object, which the Worker and its objects share and which is constant within an isolate. */
const checkedEnvs = new WeakMap<object, CheckedEnv>();

/**
 * Checks everything at once and reports all problems of an invalid configuration. Runs once per bindings object,
 * because each new Durable Object calls it again.
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

/** Which user-supplied addresses beyond the public internet may be reached. */
export function outboundPolicy(
  env: Pick<Env, "OUTBOUND_ALLOW_PRIVATE" | "OUTBOUND_ALLOWED_ORIGINS">,
): OutboundPolicy {
  return {
    allowPrivate: env.OUTBOUND_ALLOW_PRIVATE,
    allowedOrigins: (env.OUTBOUND_ALLOWED_ORIGINS ?? "").split(",").filter((origin) => origin !== ""),
  };
}
