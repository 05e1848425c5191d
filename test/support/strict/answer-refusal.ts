import type { ServerResponse } from "node:http";
import { refusedByAnthropic } from "./anthropic.ts";
import { refusedByOpenAi } from "./openai.ts";

/** The sentence with which the provider of a path refuses a request; undefined for one that it takes. */
function refusalOf(path: string, body: unknown): string | undefined {
  return path.endsWith("/messages") ? refusedByAnthropic(body) : refusedByOpenAi(body);
}

/**
 * Answers a request that its provider would refuse as the provider does. Returns whether it did. Stand-ins ask this first, so
 * that what the service sends is judged wherever it goes.
 */
export function answerRefusal(path: string, body: unknown, response: ServerResponse): boolean {
  const message = refusalOf(path, body);
  if (message === undefined) return false;
  response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }));
  return true;
}
