import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createServer } from "@modelcontextprotocol/server-everything/dist/server/index.js";
import { serve } from "#local/serve.ts";

/** The reference server of the protocol's authors, over streamable HTTP as its own program does it, at a free port. */
export async function startEverything(): Promise<{ url: string; close: () => Promise<void> }> {
  const sessions = new Map<string, { transport: StreamableHTTPServerTransport; end: () => void }>();
  const door = await serve(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known) return known.transport.handleRequest(request, response);
    const { server, cleanup } = createServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { transport, end: () => cleanup(id) }),
    });
    await server.connect(transport);
    return transport.handleRequest(request, response);
  });
  return {
    url: `${door.url}/mcp`,
    async close() {
      for (const { transport, end } of sessions.values()) {
        end();
        await transport.close();
      }
      await door.close();
    },
  };
}
