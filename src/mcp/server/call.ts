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

/** What a tool is given besides its arguments. */
export interface ToolCall extends McpSession {
  /** Aborts when the client cancels the call or disconnects. */
  signal: AbortSignal;
  /** Tells the client what is going on, if it asked to be told. */
  progress: (message: string) => Promise<void>;
}

export function callOf(session: McpSession, { mcpReq }: protocol.ServerContext): ToolCall {
  const token = mcpReq._meta?.progressToken;
  let progress = 0;
  return {
    ...session,
    signal: mcpReq.signal,
    async progress(message) {
      if (token === undefined) return;
      progress += 1;
      const params = { progressToken: token, progress, message };
      await mcpReq.notify({ method: "notifications/progress", params });
    },
  };
}
