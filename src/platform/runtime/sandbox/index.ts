import type { ProjectSandboxObject } from "#durable-objects/project-sandbox/protocol.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Trips } from "#src/platform/trips.ts";
import { heldBy } from "../http-runtime/held.ts";
import { httpRuntime, type Send } from "../http-runtime/index.ts";
import type { ProjectWorkspaces } from "../project-workspaces.ts";
import { gitWithoutCredentials } from "./git-without-credentials.ts";
import { SANDBOX_PORTS } from "../http-runtime/protocol.ts";

/** Only path and query of an address matter: the object is the server. */
const ORIGIN = "http://project-sandbox";

/** Projects in Cloudflare containers, each held by an object of its own. */
export function sandboxWorkspaces(
  namespace: Pick<DurableObjectNamespace<ProjectSandboxObject>, "getByName">,
  trips: Trips,
  log?: Log,
): ProjectWorkspaces {
  const runtime = (projectId: string) => {
    const send: Send = (path, init) => {
      trips.objects += 1;
      return namespace.getByName(projectId).fetch(`${ORIGIN}${path}`, init);
    };
    const held = heldBy(send);
    const inside = httpRuntime({
      send,
      held,
      reservedPorts: SANDBOX_PORTS,
      log: log?.with({ project_id: projectId }),
    });
    return { ...inside, git: gitWithoutCredentials(inside) };
  };
  return { runtime, destroy: (projectId) => runtime(projectId).destroy() };
}
