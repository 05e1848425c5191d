import { useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Names of what is read for MCP servers. A server's list of tools is stale with it. */
export const names = {
  servers: ["mcp-servers"],
  server: (server: string) => ["mcp-servers", server],
  tools: (server: string) => ["mcp-servers", server, "tools"],
  stdio: (project: string) => ["mcp-servers", "stdio", project],
} as const;

export const useServers = () =>
  useRead(names.servers, (signal) => workspace.request("GET", "/api/mcp/servers", { signal }));

export const useServer = (server: string) =>
  useRead(names.server(server), (signal) =>
    workspace.request("GET", "/api/mcp/servers/{mcp_server}", { path: { mcp_server: server }, signal }),
  );

export const useTools = (server: string) =>
  useRead(names.tools(server), (signal) =>
    workspace.request("GET", "/api/mcp/servers/{mcp_server}/tools", {
      path: { mcp_server: server },
      signal,
    }),
  );

export const useStdioServers = (project: string) =>
  useRead(names.stdio(project), (signal) =>
    workspace.request("GET", "/api/mcp/stdio-servers", { query: { project_id: project }, signal }),
  );
