import { AppError } from "#src/lib/errors.ts";
import { checkOutboundUrl, type OutboundPolicy } from "#src/lib/outbound-url.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { createDirectHop } from "./direct-hop.ts";
import { createEgressHop } from "./egress-hop.ts";
import { redirected, type Hop } from "./hop.ts";
import type { SafeFetch } from "./safe-fetch.ts";
import { USER_AGENT } from "#src/lib/user-agent.ts";

const DEFAULT_MAX_BYTES = 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_REDIRECTS = 5;

/** With `egressUrl` requests go through the local egress server, otherwise directly. */
export function createSafeFetch(
  options: OutboundPolicy & { egressUrl?: string | undefined; fetch?: typeof fetch },
): SafeFetch {
  // Called through a closure: as a method of this object, `fetch` would lose its `this` in Workers.
  const send: typeof fetch = (input, init) => (options.fetch ?? fetch)(input, init);
  const takeHop =
    options.egressUrl === undefined
      ? createDirectHop(options, send)
      : createEgressHop(options.egressUrl, send);

  return async (url, request = {}) => {
    const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    using limit = timeLimit(timeoutMs);
    const deadline = Date.now() + timeoutMs;
    const headers = new Headers(request.headers);
    if (!headers.has("user-agent")) headers.set("user-agent", USER_AGENT);
    let hop: Hop = {
      url,
      method: (request.method ?? "GET").toUpperCase(),
      headers,
      body: request.body ?? null,
      maxBytes: request.maxBytes ?? DEFAULT_MAX_BYTES,
      timeoutMs,
      signal: limit.signal,
    };
    try {
      for (let redirects = 0; ; redirects += 1) {
        const refusal = checkOutboundUrl(hop.url, options);
        if (refusal !== undefined) throw new AppError("invalid_input", refusal);
        const answer = await takeHop(hop);
        const next = redirects < (request.maxRedirects ?? DEFAULT_MAX_REDIRECTS) && redirected(hop, answer);
        if (!next) {
          const body = await readCapped(answer.body, hop.maxBytes);
          return { status: answer.status, headers: answer.headers, url: hop.url, ...body };
        }
        await answer.body?.cancel();
        hop = { ...hop, ...next, timeoutMs: Math.max(1, deadline - Date.now()) };
      }
    } catch (error) {
      if (error instanceof AppError && error.code === "invalid_input") throw error;
      const what = hop.signal.aborted ? "did not answer in time" : "could not be reached";
      throw new AppError("unavailable", `${new URL(hop.url).host} ${what}`, { cause: error });
    }
  };
}

async function readCapped(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<{ body: Uint8Array; truncated: boolean }> {
  if (!stream) return { body: new Uint8Array(0), truncated: false };
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  while (size <= maxBytes) {
    const part = await reader.read();
    if (part.done) break;
    chunks.push(part.value);
    size += part.value.byteLength;
  }
  await reader.cancel();
  const body = new Uint8Array(Math.min(size, maxBytes));
  let filled = 0;
  for (const chunk of chunks) {
    body.set(chunk.subarray(0, body.byteLength - filled), filled);
    filled += Math.min(chunk.byteLength, body.byteLength - filled);
  }
  return { body, truncated: size > maxBytes };
}
