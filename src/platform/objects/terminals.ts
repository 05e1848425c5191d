import { OPENING_HEADER, type Opening, type TerminalsObject } from "#durable-objects/terminals/protocol.ts";
import type { ApiEnvironment } from "#src/channels/channel.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Trips } from "#src/platform/trips.ts";
import { relaySocket } from "./relay-socket.ts";

/** The command-line clients of users. */
export interface Terminals extends Pick<ApiEnvironment["terminals"], "push"> {
  /**
   * Opens a socket for a key whose access was checked. Returns a response with status 101 and the client's end. Throws
   * `conflict` when the user has too many.
   */
  open(opening: Opening): Promise<Response>;
}

/** What a client shows for a moment. */
const TRANSIENT: ReadonlySet<unknown> = new Set(["typing", "tool"]);

/** Frames and sockets through the `Terminals` objects. Throws when the object does not respond. */
export function terminals(namespace: DurableObjectNamespace<TerminalsObject>, trips: Trips): Terminals {
  const object = (userId: string) => {
    trips.objects += 1;
    return namespace.getByName(userId);
  };
  return {
    push(userId, { nonce, ...frame }) {
      const projectId = frame["project_id"];
      return object(userId).push({
        body: JSON.stringify(frame),
        projectId: typeof projectId === "string" ? projectId : null,
        nonce: typeof nonce === "string" ? nonce : null,
        isTransient: TRANSIENT.has(frame["type"]),
      });
    },
    async open(opening) {
      const headers = { Upgrade: "websocket", [OPENING_HEADER]: encodeURIComponent(JSON.stringify(opening)) };
      const answer = await object(opening.userId).fetch("https://terminals/", { headers });
      if (answer.status === 409) throw new AppError("conflict", "Too many command-line clients: close one");
      if (!answer.webSocket) throw new Error(`The command-line clients of a user returned ${answer.status}`);
      return relaySocket(answer.webSocket);
    },
  };
}
