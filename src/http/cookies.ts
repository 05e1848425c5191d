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

/** Cookies of a sign-in; COOKIE_DOMAIN may give them to subdomains. */
const SESSION_COOKIES = ["session", "refresh_token"] as const;
/** Two, so that a sign-in and the connection of a git host do not lose each other's. */
const FLOW_COOKIES = ["oauth_state", "git_oauth_state"] as const;
/** On the hosts of previews. */
const PREVIEW_COOKIES = ["preview_session", "preview_nonce"] as const;

type SessionCookie = (typeof SESSION_COOKIES)[number];
type FlowCookie = (typeof FLOW_COOKIES)[number];
type Cookie = SessionCookie | FlowCookie | (typeof PREVIEW_COOKIES)[number] | "csrf_token";

/**
 * Browsers take a cookie of this prefix over https, for this host and all its paths alone, so no page of another host of
 * the domain can plant one. Source: RFC 6265bis, section 4.1.3.2.
 */
const HOST_PREFIX = "__Host-";

const PREFIXABLE = [...SESSION_COOKIES, ...FLOW_COOKIES, ...PREVIEW_COOKIES];

/** Every name under which a browser may keep a cookie of ours, whatever the configuration. */
export const COOKIE_NAMES: readonly string[] = [
  "csrf_token",
  ...PREFIXABLE,
  ...PREFIXABLE.map((name) => HOST_PREFIX + name),
];

/**
 * The name that a browser keeps a cookie of ours under: with `__Host-` where cookies travel over https only and are for one
 * host. `csrf_token` keeps its name for clients; it is worth nothing outside its session.
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
        : [ownCookie(config, "refresh_token", refreshToken, days * DAY_SECONDS)]),
      ownCookie(config, "session", accessToken, minutes * 60),
    ],
  };
}

/** `Set-Cookie`s that take both away again. */
export function noSessionCookies(config: CookieConfig): SetCookies {
  return { "Set-Cookie": [ownCookie(config, "refresh_token", "", 0), ownCookie(config, "session", "", 0)] };
}

export function csrfCookie(config: CookieConfig, token: string): SetCookies {
  return { "Set-Cookie": [ownCookie(config, "csrf_token", token, config.CSRF_TOKEN_MAX_AGE)] };
}

/**
 * `Set-Cookie` with what a browser keeps of a sign-in while it is at a provider. Always `Lax`: the way back is a link on
 * another person's page. Never for subdomains: it is for nobody but the host that set it.
 */
export function oauthStateCookie(
  config: CookieConfig,
  value: string,
  maxAge: number,
  name: FlowCookie = "oauth_state",
): string {
  return hostCookie(config, name, value, maxAge);
}

/** `Set-Cookie` for the host that sets it alone, sent along by links on pages of others. */
export function hostCookie(config: NameConfig, name: Cookie, value: string, maxAge: number): string {
  return serialize(cookieName(config, name), value, {
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

/**
 * What a browser sent of a cookie; `undefined` for nothing, and for two of one name: a page of another host of the domain
 * may have planted one of them, and their order does not tell which.
 */
export function cookieOf(request: Request, config: NameConfig, cookie: Cookie): string | undefined {
  const name = cookieName(config, cookie);
  const pairs = (request.headers.get("cookie") ?? "").split(";").filter((pair) => nameIn(pair) === name);
  const [pair, second] = pairs;
  if (pair === undefined || second !== undefined) return undefined;
  return parse(pair, name)[name] || undefined;
}

/** Only spaces and tabs are no part of a name: other white space would let `\u2000__Host-…` pass for what it is not. */
function nameIn(pair: string): string | undefined {
  const end = pair.indexOf("=");
  const [name, more] = pair
    .slice(0, Math.max(end, 0))
    .split(/[ \t]/u)
    .filter((word) => word !== "");
  return more === undefined ? name : undefined;
}

/** The path is the root: refreshing has addresses outside `/api/auth` too. */
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

/** Whether our cookies travel over https only. */
function isSecure(config: Pick<NameConfig, "COOKIE_SECURE" | "ENVIRONMENT">): boolean {
  return config.COOKIE_SECURE ?? config.ENVIRONMENT === "production";
}
