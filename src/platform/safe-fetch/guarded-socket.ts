import { AppError } from "#src/lib/errors.ts";
import { checkOutboundUrl, type OutboundPolicy } from "#src/lib/outbound-url.ts";
import { createDirectHop } from "./direct-hop.ts";
import { EGRESS_REQUEST_HEADER, encodeHeader } from "./egress-protocol.ts";

/** Requests to open a WebSocket at an address that a user gave; see `createGuardedUpgrade`. */
export type GuardedUpgrade = (
  url: string,
  init: { headers: Readonly<Record<string, string>>; signal: AbortSignal },
) => Promise<Response>;

/** What the egress protocol wants of a request; a socket has neither. */
const NO_LIMITS = { maxBytes: 0, timeoutMs: 1 };

/**
 * Opens WebSockets at addresses that a user gave, with `http:` or `https:`: they cannot lead into a private network. The
 * headers include the upgrade; the response holds the socket if the server accepts. Throws `invalid_input` when the
 * address is refused.
 */
export function createGuardedUpgrade(
  options: OutboundPolicy & { egressUrl?: string | undefined; fetch?: typeof fetch },
): GuardedUpgrade {
  // Called through a closure: as a method of this object, `fetch` would lose its `this` in Workers.
  const send: typeof fetch = (input, init) => (options.fetch ?? fetch)(input, init);
  return async (url, { headers, signal }) => {
    const refusal = checkOutboundUrl(url, options);
    if (refusal !== undefined) throw new AppError("invalid_input", refusal);
    const { egressUrl } = options;
    if (egressUrl !== undefined) {
      const wanted = encodeHeader({ url, method: "GET", headers, ...NO_LIMITS });
      const response = await send(egressUrl, {
        headers: { upgrade: "websocket", [EGRESS_REQUEST_HEADER]: wanted },
        signal,
      });
      if (response.status === 403) throw new AppError("invalid_input", await response.text());
      return response;
    }
    let opened: Response | undefined;
    const hop = createDirectHop(options, async (input, init) => (opened = await send(input, init)));
    await hop({ url, method: "GET", headers: new Headers(headers), body: null, signal, ...NO_LIMITS });
    if (!opened) throw new Error("No request was made");
    return opened;
  };
}
