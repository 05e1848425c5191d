import type { Env } from "#src/env.ts";

type OriginConfig = Pick<Env, "APP_BASE_URL" | "PUBLIC_URL" | "APP_DOMAIN" | "ENVIRONMENT">;

/**
 * Whether pages of this origin may act for their visitor: the console's, the service's own, and the desktop shell's. Never
 * a project's subdomain, which shows what users built.
 */
export function isTrustedOrigin(origin: string, config: OriginConfig): boolean {
  const own = [config.APP_BASE_URL, config.PUBLIC_URL].map((url) => url && new URL(url).origin);
  if (own.includes(origin)) return true;
  if (origin === "tauri://localhost" || origin === "https://tauri.localhost") return true;
  return config.ENVIRONMENT !== "production" && /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/u.test(origin);
}

/** As `isTrustedOrigin`, for an address that the service is reached at besides the configured one. */
export function isOwnOrigin(origin: string, requestUrl: string, config: OriginConfig): boolean {
  if (isTrustedOrigin(origin, config)) return true;
  const { host, hostname } = new URL(requestUrl);
  return URL.parse(origin)?.host === host && !hostname.endsWith(`.${config.APP_DOMAIN}`);
}
