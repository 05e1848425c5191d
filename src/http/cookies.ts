import { parse, serialize } from "hono/utils/cookie";
import type { Env } from "#src/env.ts";

type CookieConfig = Pick<
  Env,
  "ENVIRONMENT" | "COOKIE_SECURE" | "COOKIE_SAMESITE" | "COOKIE_DOMAIN" | "REFRESH_TOKEN_EXPIRE_DAYS"
>;

const REFRESH = "refresh_token";
const DAY_SECONDS = 24 * 60 * 60;
/** Browsers keep no cookie longer than 400 days (RFC 6265bis). */
const MAX_AGE_SECONDS = 400 * DAY_SECONDS;

/** `Set-Cookie` that hands a browser its refresh token. */
export function refreshCookie(config: CookieConfig, token: string): Record<string, string> {
  const maxAge = Math.min(config.REFRESH_TOKEN_EXPIRE_DAYS * DAY_SECONDS, MAX_AGE_SECONDS);
  return { "Set-Cookie": serialize(REFRESH, token, { ...attributes(config), maxAge }) };
}

/** `Set-Cookie` that takes it away again. */
export function noRefreshCookie(config: CookieConfig): Record<string, string> {
  return { "Set-Cookie": serialize(REFRESH, "", { ...attributes(config), maxAge: 0 }) };
}

/** The refresh token a browser sent. */
export function refreshTokenOf(request: Request): string | undefined {
  return parse(request.headers.get("cookie") ?? "", REFRESH)[REFRESH] || undefined;
}

/** The path is the root: refreshing has addresses outside `/api/auth` too. */
function attributes(config: CookieConfig) {
  return {
    path: "/",
    httpOnly: true,
    secure: config.COOKIE_SECURE ?? config.ENVIRONMENT === "production",
    sameSite: config.COOKIE_SAMESITE,
    ...(config.COOKIE_DOMAIN && { domain: config.COOKIE_DOMAIN }),
  };
}
