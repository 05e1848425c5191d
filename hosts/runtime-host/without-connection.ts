import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { CONNECTION_HEADERS } from "#src/lib/connection-headers.ts";

/** `Expect` was handled already. */
const DROPPED: ReadonlySet<string> = new Set([...CONNECTION_HEADERS, "expect"]);

/**
 * Returns headers to pass on, without those of the incoming connection. `transfer-encoding: chunked` stays: Node sends
 * the body of a DELETE without framing unless a header announces it.
 */
export function withoutConnection(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.has(name));
  const framing = headers["transfer-encoding"];
  return { ...Object.fromEntries(kept), ...(framing !== undefined && { "transfer-encoding": framing }) };
}
