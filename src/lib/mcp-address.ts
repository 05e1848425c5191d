import { withoutSlash } from "./without-slash.ts";

interface Config {
  PUBLIC_URL: string;
}

/** Paths of the MCP server, its own first. The others are those of other installations. */
export const MCP_PATHS = ["/mcp", "/api/mcp/server", "/api/mcp/server/mcp"] as const;

const LOOPBACK = ["localhost", "127.0.0.1"];

/** The MCP server as the resource that access tokens are for (RFC 8707): one, by whatever name a client calls it. */
export function mcpResource({ PUBLIC_URL }: Config): string {
  return `${withoutSlash(PUBLIC_URL)}${MCP_PATHS[0]}`;
}

/** Whether an address is the MCP server, under any of its names. */
export function isMcpResource(address: string, config: Config): boolean {
  return basesOf(config).some((base) => MCP_PATHS.some((path) => withoutSlash(address) === base + path));
}

/** The MCP server at one of its paths, under the name of the host at which the client called it. */
export function mcpAddressAt(requestUrl: string, path: string, config: Config): string {
  return `${baseOf(requestUrl, config)}${path}`;
}

/** Where the description of the MCP server at a path is. Source: RFC 9728, section 3.1. */
export function resourceMetadataAt(requestUrl: string, path: string, config: Config): string {
  return `${baseOf(requestUrl, config)}/.well-known/oauth-protected-resource${path}`;
}

function baseOf(requestUrl: string, config: Config): string {
  const bases = basesOf(config);
  const { origin } = new URL(requestUrl);
  return bases.find((base) => base === origin) ?? withoutSlash(config.PUBLIC_URL);
}

/** The service's address; on the local machine under both its names, because people type either. */
function basesOf({ PUBLIC_URL }: Config): string[] {
  const base = withoutSlash(PUBLIC_URL);
  const { hostname } = new URL(base);
  if (!LOOPBACK.includes(hostname)) return [base];
  return LOOPBACK.map((name) => base.replace(`//${hostname}`, `//${name}`));
}
