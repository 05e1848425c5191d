import { holdsScope } from "#src/domain/access/permissions/index.ts";
import type { McpSession } from "./call.ts";
import { offerPrompts } from "./prompts.ts";
import { offerResources } from "./resources.ts";
import { TOOLS } from "./tools/index.ts";

export { TOOLS };

export const SERVER = { name: "agent-workspace", title: "Agent Workspace Service", version: "1" };

const INSTRUCTIONS =
  "Projects are workspaces with files, a shell and an agent. Find a project with list_projects. Read, write, search and run commands there yourself, or hand work to its agent with start_task and follow it with get_task.";

/**
 * Answers one request of an MCP client, of the revision 2026-07-28 or of an older one. Nothing is kept between requests. A
 * client is offered what its key permits.
 */
export async function answerMcp(request: Request, body: unknown, session: McpSession): Promise<Response> {
  // The package is large, and most isolates never serve a client of it.
  const protocol = await import("@modelcontextprotocol/server");
  const { services, caller } = session;
  const { fetch } = protocol.createMcpHandler(
    () => {
      const capabilities = { tools: { listChanged: false }, resources: { listChanged: false } };
      const server = new protocol.McpServer(SERVER, { capabilities, instructions: INSTRUCTIONS });
      for (const tool of TOOLS) if (holdsScope(caller, tool.scope)) tool.offer(server, session);
      offerResources(protocol, server, session);
      offerPrompts(protocol, server, session);
      return server;
    },
    {
      // Lists change only with the key, and a stream without an end would occupy the service for nothing.
      maxSubscriptions: 0,
      onerror: (cause) => services.log.warn("an MCP client was refused", { cause }),
    },
  );
  return fetch(accepting(request), { parsedBody: body });
}

/** Simple clients say that they accept anything, or nothing; the protocol demands both of its types by name. */
function accepting(request: Request): Request {
  const headers = new Headers(request.headers);
  const accept = headers.get("accept") ?? "*/*";
  if (accept.includes("*/*")) headers.set("accept", "application/json, text/event-stream");
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}
