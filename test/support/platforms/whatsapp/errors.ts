import type { Answer } from "../platform-server.ts";

/** An error as the Graph API returns it. */
export function graphError(
  status: number,
  code: number,
  message: string,
  { type = "OAuthException", details }: { type?: string; details?: string } = {},
): Answer {
  const data = details === undefined ? {} : { error_data: { messaging_product: "whatsapp", details } };
  return { status, json: { error: { message, type, code, ...data, fbtrace_id: "AXkNh-trace" } } };
}

/** A parameter that the API does not take. */
export function badParameter(details: string): Answer {
  return graphError(400, 100, "(#100) Invalid parameter", { details });
}
