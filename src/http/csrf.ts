import type { Context } from "hono";
import { AppError } from "#src/lib/errors.ts";
import type { AppEnv } from "./context.ts";
import { cookieOf } from "./cookies.ts";
import { isOwnOrigin } from "./origin.ts";

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses requests from pages of other origins, which the browser names in a header, whether signed in or not. Requests
 * with an Authorization header are exempt, because a page cannot add one without a CORS preflight. Throws `forbidden`.
 */
export function refuseForeignOrigin(c: Context<AppEnv>): void {
  const origin = c.req.header("origin");
  if (SAFE.has(c.req.method) || origin === undefined || c.req.header("authorization") !== undefined) return;
  if (!isOwnOrigin(origin, c.req.url, c.env)) {
    throw new AppError("forbidden", "CSRF check failed: requests from pages of another origin are refused");
  }
}

/**
 * Double submit, for callers authenticated by a cookie alone: `X-CSRF-Token` must equal the `csrf_token` cookie, and be
 * a valid, unexpired token of this session. Existing clients fetch a new token when the `detail` contains `CSRF`.
 * Throws `forbidden`.
 */
export async function requireCsrfToken(c: Context<AppEnv>, sessionId: string): Promise<void> {
  if (SAFE.has(c.req.method)) return;
  const sent = c.req.header("x-csrf-token");
  const kept = cookieOf(c.req.raw, c.env, "csrf_token");
  if (!sent) {
    throw new AppError(
      "forbidden",
      "CSRF token missing: send the token of GET /api/auth/csrf as X-CSRF-Token",
    );
  }
  if (!kept) throw new AppError("forbidden", "CSRF cookie missing: GET /api/auth/csrf sets it");
  if (sent !== kept) throw new AppError("forbidden", "CSRF token mismatch: header and cookie differ");
  if (!(await c.get("services").csrfTokens.verify(sent, sessionId))) {
    throw new AppError("forbidden", "CSRF token invalid or expired: fetch a new one");
  }
}
