import { bodyOf } from "#src/lib/body-of.ts";
import { AppError } from "#src/lib/errors.ts";
import {
  decodeEgressResponse,
  EGRESS_REQUEST_HEADER,
  EGRESS_RESPONSE_HEADER,
  encodeHeader,
} from "./egress-protocol.ts";
import { sending, type TakeHop } from "./hop.ts";

/**
 * Sends requests of a local Worker: the egress server resolves the name, checks the address and connects to exactly
 * that address.
 */
export function createEgressHop(egressUrl: string, send: typeof fetch): TakeHop {
  return async ({ url, method, headers, body, maxBytes, timeoutMs, signal }) => {
    const request = { url, method, headers: Object.fromEntries(headers), maxBytes, timeoutMs };
    const response = await send(egressUrl, {
      method: "POST",
      headers: { [EGRESS_REQUEST_HEADER]: encodeHeader(request) },
      signal,
      ...sending(body),
    });
    if (response.status === 403) throw new AppError("invalid_input", await response.text());
    const answer = decodeEgressResponse(response.headers.get(EGRESS_RESPONSE_HEADER) ?? "");
    if (response.status !== 200 || !answer) throw new Error(await response.text());
    return { status: answer.status, headers: new Headers(answer.headers), body: bodyOf(response) };
  };
}
