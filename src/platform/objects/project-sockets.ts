import {
  OPENING_HEADER,
  type Opening,
  type ProjectSocketsObject,
} from "#durable-objects/project-sockets/protocol.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Trips } from "#src/platform/trips.ts";
import { joinSockets, relaySocket } from "./relay-socket.ts";

export type { Opening };

/** Access to the open sockets of a project. */
export interface ProjectSockets {
  /** Opens a socket for a person whose access was checked. Returns a response with status 101 and the client's end. */
  open(projectId: string, opening: Opening): Promise<Response>;
  /**
   * Returns a socket with the events of the project's tasks, for a person whose access was checked. The caller must
   * accept it, and close it when it is no longer read. Throws `conflict` where a person has too many sockets.
   */
  listen(projectId: string, opening: Opening): Promise<WebSocket>;
  /**
   * Same as `open`, for a socket that the client has already opened, accepted as half open. `waiting` returns what the
   * client has sent so far, and stops collecting.
   */
  join(projectId: string, opening: Opening, client: WebSocket, waiting: () => string[]): Promise<void>;
}

export function projectSockets(
  namespace: DurableObjectNamespace<ProjectSocketsObject>,
  trips: Trips,
): ProjectSockets {
  const held = async (projectId: string, opening: Opening) => {
    trips.objects += 1;
    const headers = { Upgrade: "websocket", [OPENING_HEADER]: encodeURIComponent(JSON.stringify(opening)) };
    const answer = await namespace.getByName(projectId).fetch("https://project-sockets/", { headers });
    if (answer.status === 409) throw new AppError("conflict", "Too many sockets are open on this project");
    if (!answer.webSocket) throw new Error(`The sockets of a project returned ${answer.status}`);
    return answer.webSocket;
  };
  return {
    open: async (projectId, opening) => relaySocket(await held(projectId, opening)),
    listen: held,
    async join(projectId, opening, client, waiting) {
      const socket = await held(projectId, opening);
      joinSockets(socket, client, waiting());
    },
  };
}
