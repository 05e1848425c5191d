import { holdsScope } from "#src/domain/access/permissions/index.ts";
import type { McpSession } from "./session.ts";
import { offerPrompts } from "./prompts.ts";
import { offerResources } from "./resources.ts";
import { serve } from "./serve.ts";
import { offerTaskHandles } from "./task-handles.ts";
import { TOOLS } from "./tools/index.ts";

export { TOOLS };
export { CLIENT_SCOPES } from "./scopes.ts";

export const SERVER = { name: "agent-workspace", title: "Agent Workspace Service", version: "1" };

const INSTRUCTIONS =
  "Projects are workspaces with files, a shell and an agent. Find a project with list_projects. Read, write, search and run commands there yourself, or hand work to its agent with start_task and follow it with get_task.";

/**
 * Answers one request of an MCP client, of the revision 2026-07-28 or of an older one. Nothing is kept between requests. A
 * client is offered what its key permits.
 */
export function answerMcp(request: Request, body: unknown, session: McpSession): Promise<Response> {
  const { services, caller } = session;
  return serve(request, body, {
    build(protocol) {
      // Lists change with the key alone. A client that subscribes is told so, and its stream ends.
      const capabilities = { tools: { listChanged: false }, resources: { listChanged: false } };
      const server = new protocol.McpServer(SERVER, { capabilities, instructions: INSTRUCTIONS });
      for (const tool of TOOLS) if (holdsScope(caller, tool.scope)) tool.offer(server, session);
      offerResources(protocol, server, session);
      offerPrompts(protocol, server, session);
      offerTaskHandles(protocol, server, session);
      return server;
    },
    onError: (cause) => services.log.warn("an MCP client was refused", { cause }),
  });
}
