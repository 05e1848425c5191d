import type { Log } from "#src/platform/log/log.ts";
import type { Trips } from "#src/platform/trips.ts";
import { heldBy } from "../http-runtime/held.ts";
import { httpRuntime, type Send } from "../http-runtime/index.ts";
import type { ProjectWorkspaces } from "../project-workspaces.ts";

/** Node requires this option for a body that is a stream; workerd ignores it. */
const STREAMING = { duplex: "half" };

/**
 * Projects in sandboxes of this machine. `url` is the address of the runtime host (hosts/runtime-host), including its
 * token.
 */
export function hostWorkspaces(url: string, trips: Trips, log?: Log): ProjectWorkspaces {
  const runtime = (projectId: string) => {
    const send: Send = (path, init) => {
      trips.objects += 1;
      return fetch(`${url}/projects/${encodeURIComponent(projectId)}${path}`, { ...init, ...STREAMING });
    };
    return httpRuntime({ send, held: heldBy(send), log: log?.with({ project_id: projectId }) });
  };
  return { runtime, destroy: (projectId) => runtime(projectId).destroy() };
}
