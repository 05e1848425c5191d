import type { ServerContext } from "@modelcontextprotocol/server";
import type { McpSession } from "./session.ts";
import { takesHandles } from "./task-handles.ts";

/** What a tool is given besides its arguments. */
export interface ToolCall extends McpSession {
  /** Aborts when the client cancels the call or disconnects. */
  signal: AbortSignal;
  /** Whether a task may be answered in place of a result, for the client to ask about. */
  takesHandles: boolean;
  /** Tells the client what is going on, if it asked to be told. */
  progress: (message: string) => Promise<void>;
}

export function callOf(session: McpSession, context: ServerContext): ToolCall {
  const { mcpReq } = context;
  const token = mcpReq._meta?.progressToken;
  let progress = 0;
  return {
    ...session,
    signal: mcpReq.signal,
    takesHandles: takesHandles(context),
    async progress(message) {
      if (token === undefined) return;
      progress += 1;
      const params = { progressToken: token, progress, message };
      await mcpReq.notify({ method: "notifications/progress", params });
    },
  };
}
