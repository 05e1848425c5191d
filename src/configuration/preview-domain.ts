import { hasPreviewHosts } from "#src/lib/preview-hosts.ts";
import { registrableDomain } from "#src/lib/registrable-domain.ts";
import type { Variables } from "./variables/index.ts";

/**
 * Whether pages of previews can set cookies for the service or the console, because all share one registered domain.
 */
export function previewsShareDomain({
  APP_DOMAIN,
  PUBLIC_URL,
  APP_BASE_URL,
}: Partial<Pick<Variables, "APP_DOMAIN" | "PUBLIC_URL" | "APP_BASE_URL">>): boolean {
  if (!hasPreviewHosts(APP_DOMAIN)) return false;
  const previews = registrableDomain(`preview.${APP_DOMAIN}`);
  const own = [PUBLIC_URL, APP_BASE_URL].map((url) => URL.parse(url ?? "")?.hostname ?? "");
  return previews !== undefined && own.some((host) => registrableDomain(host) === previews);
}

/** Whether an origin is one of `<slug>--<label>.<APP_DOMAIN>`. */
export function isPreviewOrigin(origin: string, appDomain = "localhost"): boolean {
  const host = URL.parse(origin)?.hostname ?? "";
  return host.endsWith(`.${appDomain.toLowerCase()}`) && host.split(".")[0]?.includes("--") === true;
}
