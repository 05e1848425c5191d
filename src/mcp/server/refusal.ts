import { toAppError } from "#src/http/errors.ts";
import type { AppError } from "#src/lib/errors.ts";
import type { McpSession, Protocol } from "./session.ts";

/** An error with a sentence for the client. What is not the client's fault is logged. */
export function refusalOf({ services, requestId }: McpSession, error: unknown): AppError {
  const known = toAppError(error, requestId);
  if (known.status >= 500)
    services.log.error("a call over MCP failed", { code: known.code, cause: known.cause ?? known });
  return known;
}

/** The work's result. Its refusal becomes an error of the protocol with the same sentence. */
export async function answering<T>(
  { ProtocolError, ProtocolErrorCode }: Protocol,
  session: McpSession,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusalOf(session, error).message);
  }
}
