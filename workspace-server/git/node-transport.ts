import { capped } from "#src/git/capped.ts";
import type { GitTransport } from "#src/git/transport.ts";

/** Largest answer of a git host, in bytes. */
const MAX_ANSWER = 200 * 1024 * 1024;

/** Straight to the git host, or by the proxy that HTTP_PROXY and HTTPS_PROXY name when NODE_USE_ENV_PROXY is set. */
export function nodeTransport(maxBytes: number = MAX_ANSWER): GitTransport {
  return async ({ url, method, headers, body, signal }) => {
    const answer = await fetch(url, { method, headers, body, signal, redirect: "manual" });
    return { status: answer.status, headers: answer.headers, body: capped(answer.body, maxBytes) };
  };
}
