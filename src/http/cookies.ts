import { parse, serialize } from "hono/utils/cookie";
import type { Env } from "#src/env.ts";

type CookieConfig = Pick<
  Env,
  | "ENVIRONMENT"
  | "COOKIE_SECURE"
  | "COOKIE_SAMESITE"
  | "COOKIE_DOMAIN"
  | "REFRESH_TOKEN_EXPIRE_DAYS"
  | "ACCESS_TOKEN_EXPIRE_MINUTES"
  | "CSRF_TOKEN_MAX_AGE"
>;

/** Two, so that a sign-in and the connection of a git host do not lose each other's. */
type FlowCookie = "oauth_state" | "git_oauth_state";
type Name = "session" | "refresh_token" | "csrf_token" | FlowCookie;

/** Headers that set cookies. */
type SetCookies = Readonly<{ "Set-Cookie": string[] }>;

const DAY_SECONDS = 24 * 60 * 60;
/** Browsers keep no cookie longer than 400 days (RFC 6265bis). */
const MAX_AGE_SECONDS = 400 * DAY_SECONDS;

/**
 * `Set-Cookie`s that hand a browser its session: the access token as `session`, and `refresh_token` where there is a new
 * one.
 */
export function sessionCookies(
  config: CookieConfig,
  session: { accessToken: string; refreshToken?: string },
): SetCookies {
  const { REFRESH_TOKEN_EXPIRE_DAYS: days, ACCESS_TOKEN_EXPIRE_MINUTES: minutes } = config;
  const { accessToken, refreshToken } = session;
  return {
    "Set-Cookie": [
      ...(refreshToken === undefined
        ? []
        : [cookie(config, "refresh_token", refreshToken, days * DAY_SECONDS)]),
      cookie(config, "session", accessToken, minutes * 60),
    ],
  };
}

/** `Set-Cookie`s that take both away again. */
export function noSessionCookies(config: CookieConfig): SetCookies {
  return { "Set-Cookie": [cookie(config, "refresh_token", "", 0), cookie(config, "session", "", 0)] };
}

export function csrfCookie(config: CookieConfig, token: string): SetCookies {
  return { "Set-Cookie": [cookie(config, "csrf_token", token, config.CSRF_TOKEN_MAX_AGE)] };
}

/**
 * `Set-Cookie` with what a browser keeps of a sign-in while it is at a provider. Always `Lax`: the way back is a link on
 * somebody else's page. Never for subdomains: it is for nobody but the host that set it.
 */
export function oauthStateCookie(
  config: CookieConfig,
  value: string,
  maxAge: number,
  name: FlowCookie = "oauth_state",
): string {
  return serialize(name, value, {
    path: "/",
    httpOnly: true,
    secure: isSecure(config),
    sameSite: "lax",
    maxAge,
  });
}

/** `Set-Cookie` that takes it away again. */
export function noOauthStateCookie(config: CookieConfig, name?: FlowCookie): string {
  return oauthStateCookie(config, "", 0, name);
}

/** What a browser sent under a name; `undefined` for nothing. */
export function cookieOf(request: Request, name: Name): string | undefined {
  return parse(request.headers.get("cookie") ?? "", name)[name] || undefined;
}

/** The path is the root: refreshing has addresses outside `/api/auth` too. */
function cookie(config: CookieConfig, name: Name, value: string, maxAge: number): string {
  return serialize(name, value, {
    path: "/",
    httpOnly: true,
    secure: isSecure(config),
    sameSite: config.COOKIE_SAMESITE,
    maxAge: Math.min(maxAge, MAX_AGE_SECONDS),
    ...(config.COOKIE_DOMAIN && { domain: config.COOKIE_DOMAIN }),
  });
}

/** Whether our cookies travel over https only. */
export function isSecure(config: Pick<CookieConfig, "COOKIE_SECURE" | "ENVIRONMENT">): boolean {
  return config.COOKIE_SECURE ?? config.ENVIRONMENT === "production";
}
