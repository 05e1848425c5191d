import type { Env } from "#src/env.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Trips } from "#src/platform/trips.ts";
import { embeddedWorkspaces } from "./embedded/index.ts";
import { hostWorkspaces } from "./host/index.ts";
import type { ProjectWorkspaces } from "./project-workspaces.ts";
import { sandboxWorkspaces } from "./sandbox/index.ts";

/** Creates the driver that PROJECT_RUNTIME names. */
export function createWorkspaces(env: Env, trips: Trips, log: Log): ProjectWorkspaces {
  if (env.PROJECT_RUNTIME === "host") {
    // The configuration's rules guarantee that it is set.
    return hostWorkspaces(env.RUNTIME_HOST_URL ?? "", trips, log);
  }
  if (env.PROJECT_RUNTIME === "sandbox") {
    // The check of the bindings guarantees that it is set.
    if (!env.PROJECT_SANDBOX) throw new Error("PROJECT_SANDBOX is missing");
    return sandboxWorkspaces(env.PROJECT_SANDBOX, trips, log);
  }
  return embeddedWorkspaces(env.PROJECT_WORKSPACE, trips);
}
