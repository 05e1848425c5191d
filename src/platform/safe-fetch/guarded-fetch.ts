import { AppError } from "#src/lib/errors.ts";
import { checkOutboundUrl, type OutboundPolicy } from "#src/lib/outbound-url.ts";
import { createDirectHop } from "./direct-hop.ts";
import { createEgressHop } from "./egress-hop.ts";

/** Longer than a step of a task may take; the caller watches for silence. */
const TIMEOUT_MS = 15 * 60_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Statuses of responses without a body. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * A `fetch` for SDKs with an address that a user gave: it cannot be led into a private network, streams the response,
 * and returns redirects instead of following them. The request's body must be a text or absent. Throws `invalid_input`
 * when the address is refused.
 */
export function createGuardedFetch(
  options: OutboundPolicy & { egressUrl?: string | undefined; fetch?: typeof fetch },
): typeof fetch {
  // Called through a closure: as a method of this object, `fetch` would lose its `this` in Workers.
  const send: typeof fetch = (input, init) => (options.fetch ?? fetch)(input, init);
  const takeHop =
    options.egressUrl === undefined
      ? createDirectHop(options, send)
      : createEgressHop(options.egressUrl, send);

  return async (input, init = {}) => {
    if (input instanceof Request) throw new TypeError("A guarded fetch takes an address, not a Request");
    const { body = null, method = "GET", headers, signal } = init;
    if (body !== null && typeof body !== "string") throw new TypeError("A guarded fetch sends text only");
    const url = String(input);
    const refusal = checkOutboundUrl(url, options);
    if (refusal !== undefined) throw new AppError("invalid_input", refusal);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await takeHop({
      url,
      method,
      headers: new Headers(headers),
      body,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const { status, headers: answered } = answer;
    return new Response(BODILESS.has(status) ? null : answer.body, { status, headers: answered });
  };
}
