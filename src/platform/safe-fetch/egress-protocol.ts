import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";

/**
 * The protocol between the Worker and the local egress server: POST to `EGRESS_URL` (which contains the token), with
 * the request described in one header and its body as the body. The server returns 200 with the response described in
 * one header and its body streamed, or 4xx/5xx with a sentence. It follows no redirects.
 */
export const EGRESS_REQUEST_HEADER = "x-egress-request";
export const EGRESS_RESPONSE_HEADER = "x-egress-response";

const EgressRequest = z.object({
  url: z.string(),
  method: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The body is cut after this many bytes. */
  maxBytes: z.number().int().nonnegative(),
  timeoutMs: z.number().int().positive(),
});
export type EgressRequest = z.infer<typeof EgressRequest>;

const EgressResponse = z.object({
  status: z.number().int(),
  headers: z.array(z.tuple([z.string(), z.string()])),
});
export type EgressResponse = z.infer<typeof EgressResponse>;

export function encodeHeader(value: EgressRequest | EgressResponse): string {
  return encodeURIComponent(JSON.stringify(value));
}

/** `undefined` when `encodeHeader` did not make the text; also below. */
export function decodeEgressRequest(text: string): EgressRequest | undefined {
  return decodeHeader(text, EgressRequest);
}

export function decodeEgressResponse(text: string): EgressResponse | undefined {
  return decodeHeader(text, EgressResponse);
}

function decodeHeader<T>(text: string, schema: z.ZodType<T>): T | undefined {
  try {
    return safeParseJson(decodeURIComponent(text), schema)?.value;
  } catch {
    return undefined;
  }
}
