import { toAppError } from "#src/http/errors.ts";
import type { AppError } from "#src/lib/errors.ts";
import type { McpSession } from "./call.ts";

/** An error with a sentence for the client. What is not the client's fault is logged. */
export function refusalOf({ services, requestId }: McpSession, error: unknown): AppError {
  const known = toAppError(error, requestId);
  if (known.status >= 500)
    services.log.error("a call over MCP failed", { code: known.code, cause: known.cause ?? known });
  return known;
}
