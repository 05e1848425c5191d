import type { Env } from "#src/env.ts";

type OriginConfig = Pick<Env, "APP_BASE_URL" | "PUBLIC_URL" | "APP_DOMAIN" | "ENVIRONMENT" | "CORS_ORIGINS">;

/** Host names of the local machine. */
const LOOPBACK = ["localhost", "127.0.0.1"] as const;

/** Origins of consoles in development: without a port, and the default ports of common dev servers. */
const DEVELOPMENT_ORIGINS: readonly string[] = LOOPBACK.flatMap((host) =>
  ["", ":3000", ":5173"].map((port) => `http://${host}${port}`),
);

/**
 * Whether pages of this origin may act for their visitor: the console, the service itself, the desktop shell, and
 * CORS_ORIGINS. Never a project's subdomain, which serves users' programs.
 */
export function isTrustedOrigin(origin: string, config: OriginConfig): boolean {
  const isProduction = config.ENVIRONMENT === "production";
  const own = [config.APP_BASE_URL, config.PUBLIC_URL].flatMap((url) =>
    url === undefined ? [] : spellingsOf(new URL(url), isProduction),
  );
  if (own.includes(origin)) return true;
  if (origin === "tauri://localhost" || origin === "https://tauri.localhost") return true;
  return (config.CORS_ORIGINS ?? (isProduction ? [] : DEVELOPMENT_ORIGINS)).includes(origin);
}

/** The origin of an address; for the local machine under both its names, because people type either. */
function spellingsOf(url: URL, isProduction: boolean): string[] {
  const { protocol, hostname, port } = url;
  if (isProduction || !LOOPBACK.some((name) => name === hostname)) return [url.origin];
  return LOOPBACK.map((name) => `${protocol}//${name}${port === "" ? "" : `:${port}`}`);
}

/**
 * As `isTrustedOrigin`, also for the address at which the service was called. A page over https may call over http,
 * because a proxy forwards https requests as http. Not the other way round: an attacker on the network can replace a
 * page over http.
 */
export function isOwnOrigin(origin: string, requestUrl: string, config: OriginConfig): boolean {
  if (isTrustedOrigin(origin, config)) return true;
  const { protocol, host, hostname } = new URL(requestUrl);
  const page = URL.parse(origin);
  const isSafe = page?.protocol === "https:" || page?.protocol === protocol;
  return page?.host === host && isSafe && !hostname.endsWith(`.${config.APP_DOMAIN}`);
}

/**
 * Whether a request was sent to a host name of the service, and not to a foreign one that resolves to its address. The local
 * machine's names always are: a proxy may put one in place of the public name.
 */
export function isOwnHost(
  { host, hostname }: URL,
  config: Pick<OriginConfig, "APP_BASE_URL" | "PUBLIC_URL">,
): boolean {
  const own = [config.APP_BASE_URL, config.PUBLIC_URL].map((url) => URL.parse(url ?? "")?.host);
  return own.includes(host) || LOOPBACK.some((name) => name === hostname);
}
