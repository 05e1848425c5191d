import type { ServerResponse } from "node:http";
import { refusedByAnthropic } from "./anthropic.ts";
import { refusedByOpenAi } from "./openai.ts";

/**
 * Answers a request that its provider would refuse as the provider does. Returns whether it did. Stand-ins ask
 * this first, so that what the service sends is judged wherever it goes.
 */
export function answerRefusal(path: string, body: unknown, response: ServerResponse): boolean {
  const message = path.endsWith("/messages") ? refusedByAnthropic(body) : refusedByOpenAi(body);
  if (message === undefined) return false;
  response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }));
  return true;
}
