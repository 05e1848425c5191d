import { createMcpClient, TIMEOUTS } from "#src/platform/mcp-client/index.ts";
import type { McpClient } from "#src/platform/mcp-client/mcp-client.ts";
import { createGuardedFetch } from "#src/platform/safe-fetch/guarded-fetch.ts";
import { createSafeFetch } from "#src/platform/safe-fetch/index.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { HANGS_MS } from "./hangs.ts";

const HERE = { allowPrivate: true, allowedOrigins: [] };

/** A client of MCP servers on this machine that waits for a busy one. */
export function patientMcpClient(): McpClient {
  const timeouts = Object.fromEntries(Object.keys(TIMEOUTS).map((phase) => [phase, HANGS_MS]));
  return createMcpClient({ fetch: createGuardedFetch(HERE), timeouts: { ...TIMEOUTS, ...timeouts } });
}

/** As the service's own, for addresses of this machine, and waits for a busy one. */
export function patientSafeFetch(policy = HERE): SafeFetch {
  const safeFetch = createSafeFetch(policy);
  return (url, options) => safeFetch(url, { ...options, timeoutMs: HANGS_MS });
}
