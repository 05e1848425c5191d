import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { isOutage } from "#src/db/outage.ts";
import { AppError, type ErrorCode } from "#src/lib/errors.ts";
import { visibleLine } from "#src/lib/visible.ts";
import type { AppEnv } from "./context.ts";
import { loggedPath } from "./logged-path.ts";

/** The body of every error response. */
export const ErrorBody = z
  .object({ detail: z.string().describe("What went wrong, in a sentence") })
  .meta({ id: "Error" });

/** The same, with the code that clients of OAuth decide by. Source: RFC 6749, section 5.2; RFC 8628, section 3.5. */
export const OAuthErrorBody = ErrorBody.extend({
  error: z
    .string()
    .optional()
    .describe("`invalid_grant`, `authorization_pending`, `slow_down`, `access_denied`, `expired_token`, …"),
  error_description: z.string().optional().describe("The same sentence as `detail`"),
}).meta({ id: "OAuthError" });

/** The same, with an `error` field for clients of OpenAI's API, which show its content. */
export const OpenAiErrorBody = ErrorBody.extend({
  error: z.object({
    message: z.string(),
    type: z.string(),
    code: z.string(),
    param: z.null(),
  }),
}).meta({ id: "OpenAiError" });

/** Codes of OAuth for refusals that name none: of middleware and schemas. Source: RFC 6749, sections 4.1.2.1 and 5.2. */
function oauthError(refusal: AppError): z.output<typeof OAuthErrorBody> {
  const { status } = refusal;
  const detail = sentenceOf(refusal);
  const overloaded = status === 429 || status === 503;
  const error = overloaded ? "temporarily_unavailable" : status >= 500 ? "server_error" : "invalid_request";
  return { detail, error, error_description: detail };
}

/** OpenAI's own types for some failures. Source: https://platform.openai.com/docs/guides/error-codes */
const OPENAI_TYPES: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthenticated: "authentication_error",
  insufficient_credits: "insufficient_quota",
  forbidden: "permission_error",
  rate_limited: "rate_limit_error",
  provider_failed: "proxy_error",
  internal: "server_error",
  unavailable: "server_error",
};

/** An error in OpenAI's format. */
export function openAiError(refusal: AppError): z.output<typeof OpenAiErrorBody>["error"] {
  const { code } = refusal;
  return {
    message: sentenceOf(refusal),
    type: OPENAI_TYPES[code] ?? "invalid_request_error",
    code,
    param: null,
  };
}

/** In one line, and nothing hidden: many a refusal repeats a text of the request. */
function sentenceOf({ message }: AppError): string {
  return visibleLine(message);
}

/**
 * The only place that turns an error into a response. Unknown errors are logged in full, and the response contains only
 * the request id.
 */
export function onError(error: Error, c: Context<AppEnv>): Response {
  const known = toAppError(error, c.get("requestId"));
  if (known.status >= 500) {
    const { log } = c.get("services");
    const fields = { method: c.req.method, path: loggedPath(c.req.path), code: known.code };
    // A deliberate refusal, such as of a provider that is not configured, has no cause and needs no stack trace.
    if (known === error && known.cause === undefined)
      log.warn("request refused", { ...fields, detail: known.message });
    else log.error("request failed", { ...fields, cause: known.cause ?? known });
  }
  const inOpenAiStyle = c.get("errorStyle") === "openai" && { error: openAiError(known) };
  const inOAuthStyle = c.get("errorStyle") === "oauth" && oauthError(known);
  const { retryAfterSeconds } = known;
  return c.json(
    { ...inOAuthStyle, detail: sentenceOf(known), ...known.extra, ...inOpenAiStyle },
    known.status,
    {
      // Source: RFC 9110, 15.5.2.
      ...(known.status === 401 && { "WWW-Authenticate": "Bearer" }),
      ...known.headers,
      ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    },
  );
}

/** Paths that clients of OpenAI's API use, whether or not an endpoint exists there. */
export function isOpenAiPath(path: string): boolean {
  return path.startsWith("/api/v1/");
}

export function onNotFound(c: Context<AppEnv>): never {
  if (isOpenAiPath(c.req.path)) c.set("errorStyle", "openai");
  throw new AppError("not_found", "Not Found");
}

/** Any error as one with a status and a sentence. Of unknown errors the sentence says the request's id alone. */
export function toAppError(error: unknown, requestId: string): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HTTPException) {
    // Hono's own refusals: a body that is not JSON, or an empty body where one is required.
    if (error.status === 413) return new AppError("too_large", "Request body is too large", { cause: error });
    if (error.status < 500) return new AppError("invalid_input", error.message, { cause: error });
  }
  if (isOutage(error)) return new AppError("unavailable", "The database does not respond", { cause: error });
  return new AppError("internal", `Internal error; request id ${requestId}`, { cause: error });
}
