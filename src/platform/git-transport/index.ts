import { capped } from "#src/git/capped.ts";
import type { GitTransport } from "#src/git/transport.ts";
import { AppError } from "#src/lib/errors.ts";
import { checkOutboundUrl, type OutboundPolicy } from "#src/lib/outbound-url.ts";
import { createDirectHop } from "#src/platform/safe-fetch/direct-hop.ts";
import { createEgressHop } from "#src/platform/safe-fetch/egress-hop.ts";

/** Longest time of one response; operations have their own limit. */
const TIMEOUT_MS = 300_000;

/**
 * The transport to git hosts from a Worker: like `safeFetch`, but the response streams, because a pack does not fit
 * into memory twice. A response above `maxBytes` is `too_large`.
 */
export function createGitTransport(
  options: OutboundPolicy & {
    egressUrl?: string | undefined;
    maxBytes: number;
    fetch?: typeof fetch;
  },
): GitTransport {
  // Called through a closure: as a method of this object, `fetch` would lose its `this` in Workers.
  const send: typeof fetch = (input, init) => (options.fetch ?? fetch)(input, init);
  const takeHop =
    options.egressUrl === undefined
      ? createDirectHop(options, send)
      : createEgressHop(options.egressUrl, send);
  return async ({ url, method, headers, body, signal }) => {
    const refusal = checkOutboundUrl(url, options);
    if (refusal !== undefined) throw new AppError("invalid_input", refusal);
    const hop = { url, method, headers: new Headers(headers), body, signal };
    const {
      status,
      headers: given,
      body: stream,
    } = await takeHop({
      ...hop,
      maxBytes: options.maxBytes,
      timeoutMs: TIMEOUT_MS,
    });
    return { status, headers: given, body: capped(stream, options.maxBytes) };
  };
}
