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

type NameConfig = Pick<CookieConfig, "ENVIRONMENT" | "COOKIE_SECURE" | "COOKIE_DOMAIN">;

/** Cookies of a sign-in; COOKIE_DOMAIN may extend them to subdomains. */
const SESSION_COOKIES = ["session", "refresh_token"] as const;
/** One for each kind, so that a sign-in and the connection of an account do not overwrite each other's state. */
const FLOW_COOKIES = [
  "oauth_state",
  "git_oauth_state",
  "deploy_oauth_state",
  "mcp_oauth_state",
  "passkey_challenge",
  "new_passkey_challenge",
] as const;
/** Cookies on the hosts of previews; those of a visit in a frame have names of their own. */
const PREVIEW_COOKIES = ["preview_session", "preview_nonce", "framed_session", "framed_nonce"] as const;

type SessionCookie = (typeof SESSION_COOKIES)[number];
type FlowCookie = (typeof FLOW_COOKIES)[number];
type Cookie = SessionCookie | FlowCookie | (typeof PREVIEW_COOKIES)[number] | "csrf_token";

/**
 * Browsers accept a cookie with this prefix only over https, for this host only and for all paths, so another host of
 * the domain cannot plant one. Source: RFC 6265bis, section 4.1.3.2.
 */
const HOST_PREFIX = "__Host-";

const PREFIXABLE = [...SESSION_COOKIES, ...FLOW_COOKIES, ...PREVIEW_COOKIES];

/** All names under which a browser may keep a cookie of the service, in any configuration. */
export const COOKIE_NAMES: readonly string[] = [
  "csrf_token",
  ...PREFIXABLE,
  ...PREFIXABLE.map((name) => HOST_PREFIX + name),
];

/**
 * The name under which a browser keeps a cookie of the service: with `__Host-` where cookies are sent only over https
 * and belong to one host. `csrf_token` keeps its name for clients, and is useless outside its session.
 */
export function cookieName(config: NameConfig, cookie: Cookie): string {
  const spansDomain = isOneOf(SESSION_COOKIES, cookie) && Boolean(config.COOKIE_DOMAIN);
  if (cookie === "csrf_token" || spansDomain || !isSecure(config)) return cookie;
  return HOST_PREFIX + cookie;
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

/** Headers that set cookies. */
type SetCookies = Readonly<{ "Set-Cookie": string[] }>;

const DAY_SECONDS = 24 * 60 * 60;
/** Browsers keep no cookie longer than 400 days (RFC 6265bis). */
const MAX_AGE_SECONDS = 400 * DAY_SECONDS;

/** `Set-Cookie`s of a session: the access token as `session`, and a new `refresh_token` if there is one. */
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
        : [ownCookie(config, "refresh_token", refreshToken, days * DAY_SECONDS)]),
      ownCookie(config, "session", accessToken, minutes * 60),
    ],
  };
}

/** `Set-Cookie`s that delete both. */
export function noSessionCookies(config: CookieConfig): SetCookies {
  return { "Set-Cookie": [ownCookie(config, "refresh_token", "", 0), ownCookie(config, "session", "", 0)] };
}

export function csrfCookie(config: CookieConfig, token: string): SetCookies {
  return { "Set-Cookie": [ownCookie(config, "csrf_token", token, config.CSRF_TOKEN_MAX_AGE)] };
}

/**
 * `Set-Cookie` with the state that a browser keeps while it is at a provider. Always `Lax`, because the browser returns
 * by a link on the provider's page. Never shared with subdomains.
 */
export function oauthStateCookie(
  config: CookieConfig,
  value: string,
  maxAge: number,
  name: FlowCookie = "oauth_state",
): string {
  return hostCookie(config, name, value, maxAge);
}

/** `Set-Cookie` for the setting host alone; browsers also send it when a link on another site leads here. */
export function hostCookie(config: NameConfig, name: Cookie, value: string, maxAge: number): string {
  return serialize(cookieName(config, name), value, {
    path: "/",
    httpOnly: true,
    secure: isSecure(config),
    sameSite: "lax",
    maxAge,
  });
}

/**
 * `Set-Cookie` for the setting host alone, inside a frame of another site's page: browsers keep it apart for each site
 * that frames the host, and take it without https only from hosts of the local machine. Source: CHIPS,
 * draft-cutler-httpbis-partitioned-cookies; Chromium treats `*.localhost` as secure for cookies.
 */
export function framedCookie(config: NameConfig, name: Cookie, value: string, maxAge: number): string {
  return serialize(cookieName(config, name), value, {
    path: "/",
    httpOnly: true,
    secure: true,
    sameSite: "none",
    partitioned: true,
    maxAge,
  });
}

/** `Set-Cookie` that deletes it. */
export function noOauthStateCookie(config: CookieConfig, name?: FlowCookie): string {
  return oauthStateCookie(config, "", 0, name);
}

/**
 * The value of a cookie in a request. `undefined` if it is missing, or if it occurs twice: another host of the domain
 * may have planted one of the two, and their order does not tell which.
 */
export function cookieOf(request: Request, config: NameConfig, cookie: Cookie): string | undefined {
  const name = cookieName(config, cookie);
  const pairs = (request.headers.get("cookie") ?? "").split(";").filter((pair) => nameIn(pair) === name);
  const [pair, second] = pairs;
  if (pair === undefined || second !== undefined) return undefined;
  return parse(pair, name)[name] || undefined;
}

/**
 * Trims only spaces and tabs: with other white space removed, `\u2000__Host-…` would pass for a cookie with the prefix.
 */
function nameIn(pair: string): string | undefined {
  const end = pair.indexOf("=");
  const [name, more] = pair
    .slice(0, Math.max(end, 0))
    .split(/[ \t]/u)
    .filter((word) => word !== "");
  return more === undefined ? name : undefined;
}

/** The path is the root, because tokens can also be refreshed outside `/api/auth`. */
function ownCookie(config: CookieConfig, name: Cookie, value: string, maxAge: number): string {
  return serialize(cookieName(config, name), value, {
    path: "/",
    httpOnly: true,
    secure: isSecure(config),
    sameSite: config.COOKIE_SAMESITE,
    maxAge: Math.min(maxAge, MAX_AGE_SECONDS),
    ...(config.COOKIE_DOMAIN && { domain: config.COOKIE_DOMAIN }),
  });
}

/** Whether the service's cookies are sent over https only. */
function isSecure(config: Pick<NameConfig, "COOKIE_SECURE" | "ENVIRONMENT">): boolean {
  return config.COOKIE_SECURE ?? config.ENVIRONMENT === "production";
}
