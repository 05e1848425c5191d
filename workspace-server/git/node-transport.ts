import { capped } from "#src/git/capped.ts";
import type { GitTransport } from "#src/git/transport.ts";

/** Largest response of a git host, in bytes. */
const MAX_ANSWER = 200 * 1024 * 1024;

/**
 * Connects directly to the git host, or through the proxy in HTTP_PROXY and HTTPS_PROXY when NODE_USE_ENV_PROXY is set.
 */
export function nodeTransport(maxBytes: number = MAX_ANSWER): GitTransport {
  return async ({ url, method, headers, body, signal }) => {
    const answer = await fetch(url, { method, headers, body, signal, redirect: "manual" });
    return { status: answer.status, headers: answer.headers, body: capped(answer.body, maxBytes) };
  };
}
