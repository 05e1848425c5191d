import type { Context, MiddlewareHandler } from "hono";
import type { AppEnv } from "#src/http/context.ts";
import { isOpenAiPath } from "#src/http/errors.ts";

const SENTENCE = "Method Not Allowed";

/** Records the methods of a path; several patterns may match one address. */
export function noteMethods(methods: readonly string[]): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("methods", [...(c.get("methods") ?? []), ...methods]);
    await next();
  };
}

/**
 * The response for an existing path with an unsupported method; `Allow` lists the supported ones (RFC 9110, 15.5.6).
 */
export function methodNotAllowed(c: Context<AppEnv>): Response | Promise<Response> {
  const methods = new Set(c.get("methods"));
  if (methods.size === 0) return c.notFound();
  // A path that supports GET also supports HEAD.
  if (methods.has("GET")) methods.add("HEAD");
  const error = { message: SENTENCE, type: "invalid_request_error", code: "method_not_allowed", param: null };
  const body = { detail: SENTENCE, ...(isOpenAiPath(c.req.path) && { error }) };
  return c.json(body, 405, { Allow: [...methods].toSorted().join(", ") });
}
