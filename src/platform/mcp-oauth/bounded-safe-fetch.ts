import type { FetchLike } from "@modelcontextprotocol/client";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { McpOAuthFailure } from "./mcp-oauth.ts";

/** Largest answer of an authorization server, in bytes. */
const MAX_BYTES = 256 * 1024;
/** How long one request may take, in milliseconds. */
const REQUEST_MS = 10_000;
/** Statuses of responses without a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A fetch for the official package, whose requests take at most `totalMs` together. Redirects are returned: the package follows
 * those that stay at their origin.
 */
export function boundedSafeFetch(safeFetch: SafeFetch, totalMs: number): FetchLike {
  const endsAt = Date.now() + totalMs;
  return async (address, init = {}) => {
    const { method = "GET", headers, body } = init;
    const answer = await safeFetch(String(address), {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body && { body: textOf(body) }),
      maxBytes: MAX_BYTES,
      timeoutMs: Math.max(1, Math.min(REQUEST_MS, endsAt - Date.now())),
      maxRedirects: 0,
    });
    if (answer.truncated) {
      throw new McpOAuthFailure("refused", "An answer of the authorization server is too large");
    }
    const { status } = answer;
    const text = BODILESS.has(status) ? null : new TextDecoder().decode(answer.body);
    return new Response(text, { status, headers: answer.headers });
  };
}

function textOf(body: unknown): string {
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("Only texts and forms are sent to authorization servers");
}
