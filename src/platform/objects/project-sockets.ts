import {
  OPENING_HEADER,
  type Opening,
  type ProjectSocketsObject,
} from "#durable-objects/project-sockets/protocol.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Trips } from "#src/platform/trips.ts";
import { joinSockets, relaySocket } from "./relay-socket.ts";

export type { Opening };

/** The way to the sockets that are open on a project. */
export interface ProjectSockets {
  /** Open one more, for a person whose access was checked. Answers the client's end, in an answer with status 101. */
  open(projectId: string, opening: Opening): Promise<Response>;
  /**
   * The events of the project's tasks, for a person whose access was checked: a socket that is to be accepted, and closed when
   * nobody reads it any more. Throws `conflict` where a person has too many.
   */
  listen(projectId: string, opening: Opening): Promise<WebSocket>;
  /**
   * As `open`, for a socket that the client has opened already, accepted as half open. `waiting` hands over what the client has
   * sent so far, and takes nothing more.
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
    if (!answer.webSocket) throw new Error(`The sockets of a project answered ${answer.status}`);
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
