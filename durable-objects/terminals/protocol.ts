import { z } from "zod";
import { StoredCaller } from "#src/domain/access/permissions/index.ts";

/** A frame for a user's command-line clients. */
export interface PushedFrame {
  /** A JSON object. */
  body: string;
  /** Clients of this project's keys get the frame; null for keys without a project. */
  projectId: string | null;
  /** Identifies the frame over all attempts to push it. */
  nonce: string | null;
  /** Whether only clients that are connected at this moment get the frame. It is not stored and has no id. */
  isTransient: boolean;
}

/** The contract of the `Terminals` object: the command-line clients of a user, by the user's id. */
export interface TerminalsObject extends Rpc.DurableObjectBranded {
  /**
   * Stores a frame for the clients and has it sent to those that are connected. Returns its id, which is greater than every
   * earlier one; 0 for a transient frame. A frame with the nonce of an earlier one is not stored again.
   */
  push(frame: PushedFrame): Promise<number>;
  /**
   * Opens a socket for a key whose access was checked: the request carries an `Opening` in `OPENING_HEADER`. Returns 101
   * with the socket, or 409 when the user has too many.
   */
  fetch(request: Request): Promise<Response>;
}

/** Header with an `Opening`, as percent-encoded JSON, on the request that opens a socket. */
export const OPENING_HEADER = "x-terminal-opening";

/** A command-line client, whose access was checked. */
export const Opening = z.object({
  userId: z.string(),
  /** The name that the agent reads. */
  userName: z.string(),
  standing: StoredCaller,
  keyId: z.string(),
  /** The project that the messages are about; null for the user's default workspace. */
  projectId: z.string().nullable(),
  /** The channel that the messages belong to. */
  channelId: z.string(),
  /** Id of the last frame that the client has; null for a client that wants only later ones. */
  after: z.number().nullable(),
});
export type Opening = z.output<typeof Opening>;

/** State of a socket that survives the object's eviction; at most 16 KiB by the platform's count. */
export const ClientState = Opening.omit({ after: true }).extend({
  /** Id of the last stored frame that was sent. */
  sent: z.number(),
  /** When access was last verified. */
  checkedAt: z.number(),
});
export type ClientState = z.output<typeof ClientState>;
