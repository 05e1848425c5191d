import type { Env } from "#src/env.ts";

type OriginConfig = Pick<Env, "APP_BASE_URL" | "PUBLIC_URL" | "APP_DOMAIN" | "ENVIRONMENT" | "CORS_ORIGINS">;

/** Names of one's own machine in addresses of pages. */
const LOOPBACK = ["localhost", "127.0.0.1"] as const;

/** Where consoles are served while a person works on one, outside production: without a port, and usual servers' own. */
const DEVELOPMENT_ORIGINS: readonly string[] = LOOPBACK.flatMap((host) =>
  ["", ":3000", ":5173"].map((port) => `http://${host}${port}`),
);

/**
 * Whether pages of this origin may act for their visitor: the console's, the service's own, the desktop shell's, and those
 * of CORS_ORIGINS. Never a project's subdomain, which shows what users built.
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

/** The origin of an address; on one's own machine under both its names, since people type either. */
function spellingsOf(url: URL, isProduction: boolean): string[] {
  const { protocol, hostname, port } = url;
  if (isProduction || !LOOPBACK.some((name) => name === hostname)) return [url.origin];
  return LOOPBACK.map((name) => `${protocol}//${name}${port === "" ? "" : `:${port}`}`);
}

/**
 * As `isTrustedOrigin`, for an address that the service is reached at besides the configured one. A page over https may ask
 * over http, which is how a proxy passes it on; not the other way, since a page over http may be anybody's.
 */
export function isOwnOrigin(origin: string, requestUrl: string, config: OriginConfig): boolean {
  if (isTrustedOrigin(origin, config)) return true;
  const { protocol, host, hostname } = new URL(requestUrl);
  const page = URL.parse(origin);
  const isSafe = page?.protocol === "https:" || page?.protocol === protocol;
  return page?.host === host && isSafe && !hostname.endsWith(`.${config.APP_DOMAIN}`);
}
