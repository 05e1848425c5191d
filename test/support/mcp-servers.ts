import type { McpServer, McpTool, TestedMcpServer } from "#sdk/generated/types.gen.ts";
import type { ApiClient } from "./api-client.ts";

export type { McpServer };

const SERVERS = "/api/mcp/servers";

/** What a person, or a key, does with MCP servers. */
export function newMcpOwner(service: ApiClient, token: string) {
  const asked = async <T>(...[method, path, options]: Parameters<ApiClient["call"]>): Promise<T> => {
    const { status, text, body } = await service.call<T>(method, path, { token, ...options });
    if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return body;
  };
  return {
    /** Returns the response of any status. */
    adding: (json: Record<string, unknown>) =>
      service.call<McpServer & { detail?: string }>("POST", SERVERS, { token, json }),
    changing: (id: string, json: Record<string, unknown>) =>
      service.call<McpServer & { detail?: string }>("PATCH", `${SERVERS}/${id}`, { token, json }),
    /** Any other status than 200 is a broken test. */
    add: (json: Record<string, unknown>) => asked<McpServer>("POST", SERVERS, { json }),
    change: (id: string, json: Record<string, unknown>) =>
      asked<McpServer>("PATCH", `${SERVERS}/${id}`, { json }),
    get: (id: string) => asked<McpServer>("GET", `${SERVERS}/${id}`),
    list: (query = "") => asked<McpServer[]>("GET", SERVERS + query),
    tools: (id: string) => asked<McpTool[]>("GET", `${SERVERS}/${id}/tools`),
    test: (id: string) => asked<TestedMcpServer>("POST", `${SERVERS}/${id}/test`),
  };
}
