import type { ProjectSockets as ProjectSocketsObject } from "#durable-objects/project-sockets/index.ts";
import { OPENING_HEADER, type Opening } from "#durable-objects/project-sockets/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

export type { Opening };

/** The way to the sockets that are open on a project. */
export interface ProjectSockets {
  /** Open one more, for somebody whose access was checked. Answers the client's end, in an answer with status 101. */
  open(projectId: string, opening: Opening): Promise<Response>;
}

export function projectSockets(
  namespace: DurableObjectNamespace<ProjectSocketsObject>,
  trips: Trips,
): ProjectSockets {
  return {
    open(projectId, opening) {
      trips.objects += 1;
      const headers = { Upgrade: "websocket", [OPENING_HEADER]: encodeURIComponent(JSON.stringify(opening)) };
      return namespace.getByName(projectId).fetch("https://project-sockets/", { headers });
    },
  };
}
