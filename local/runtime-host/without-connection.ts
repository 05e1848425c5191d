import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { CONNECTION_HEADERS } from "#src/lib/connection-headers.ts";

/** `Expect` has been answered by then. */
const DROPPED: ReadonlySet<string> = new Set([...CONNECTION_HEADERS, "expect"]);

/**
 * Headers to hand on, without those of the connection they came by. That a body comes in chunks stays said: Node sends the
 * body of a DELETE that nothing announces without any framing.
 */
export function withoutConnection(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.has(name));
  const framing = headers["transfer-encoding"];
  return { ...Object.fromEntries(kept), ...(framing !== undefined && { "transfer-encoding": framing }) };
}
