import { AppError } from "#src/lib/errors.ts";
import { checkOutboundUrl, type OutboundPolicy } from "#src/lib/outbound-url.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
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
    const limit = timeLimit(TIMEOUT_MS, signal ?? undefined);
    const end = () => limit[Symbol.dispose]();
    try {
      const answer = await takeHop({
        url,
        method,
        headers: new Headers(headers),
        body,
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        signal: limit.signal,
      });
      const { status, headers: answered } = answer;
      const streamed = BODILESS.has(status) ? null : answer.body;
      if (!streamed) end();
      return new Response(streamed && toldOfEnd(streamed, end), { status, headers: answered });
    } catch (error) {
      end();
      throw error;
    }
  };
}

/** A body that calls `onEnd` when it was read to its end, broke off, or was cancelled. */
function toldOfEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        onEnd();
      },
      async cancel(reason) {
        onEnd();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
