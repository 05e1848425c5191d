import type { OutboundPolicy } from "#src/lib/outbound-url.ts";
import { createMcpClient, TIMEOUTS, type McpTimeouts } from "#src/platform/mcp-client/index.ts";
import type { McpClient } from "#src/platform/mcp-client/mcp-client.ts";
import { createGuardedFetch } from "#src/platform/safe-fetch/guarded-fetch.ts";
import { createSafeFetch } from "#src/platform/safe-fetch/index.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { HANGS_MS } from "./hangs.ts";

const HERE: OutboundPolicy = { allowPrivate: true, allowedOrigins: [] };

/**
 * A client of MCP servers on this machine that waits for a busy one. Each request has a connection of its own: a server ends one that
 * is idle, and on a busy machine that may be when the next request is on its way. Where a test is about a timeout, that one
 * is given.
 */
export function patientMcpClient(short: Partial<McpTimeouts> = {}): McpClient {
  const guarded = createGuardedFetch(HERE);
  const alone: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set("connection", "close");
    return guarded(url, { ...init, headers });
  };
  const timeouts = Object.fromEntries(Object.keys(TIMEOUTS).map((phase) => [phase, HANGS_MS]));
  return createMcpClient({ fetch: alone, timeouts: { ...TIMEOUTS, ...timeouts, ...short } });
}

/** As the service's own, for addresses of this machine, and waits for a busy one, each request on a connection of its own. */
export function patientSafeFetch(policy: OutboundPolicy = HERE): SafeFetch {
  const safeFetch = createSafeFetch(policy);
  return (url, options) =>
    safeFetch(url, {
      ...options,
      headers: { ...options?.headers, connection: "close" },
      timeoutMs: HANGS_MS,
    });
}
