import type * as protocol from "@modelcontextprotocol/server";
import type { KeyCaller } from "#src/domain/access/permissions/index.ts";
import type { Services } from "#src/services.ts";

/** The package of the protocol, which is loaded when the first client comes. */
export type Protocol = typeof protocol;

/** The HTTP request that carries a message, and who sent it. */
export interface McpSession {
  services: Services;
  caller: KeyCaller;
  requestId: string;
  /** Keeps the work running after the response has ended or the client has left. */
  waitUntil: (work: Promise<unknown>) => void;
}
