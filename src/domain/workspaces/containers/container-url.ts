import { hasPreviewHosts } from "#src/lib/preview-hosts.ts";
import { SEPARATOR } from "./names.ts";

/** Where previews are served: scheme and port are those of the service's own address. */
export interface PreviewAddresses {
  PUBLIC_URL: string;
  APP_DOMAIN: string;
}

/** Settings that decide whether previews are also served on the service's own address. */
interface PreviewPaths {
  ENVIRONMENT: string;
  APP_DOMAIN: string;
}

/** The address of a container: `http(s)://<slug>--<label>.<APP_DOMAIN>[:port]`. */
export function containerUrl(
  { PUBLIC_URL, APP_DOMAIN }: PreviewAddresses,
  slug: string,
  label: string,
): string {
  const { protocol, port } = new URL(PUBLIC_URL);
  return `${protocol}//${slug}${SEPARATOR}${label}.${APP_DOMAIN}${port === "" ? "" : `:${port}`}`;
}

/**
 * Whether previews are also served on the service's own address. Not in production if previews have hosts of their own,
 * because users' programs must stay away from the service's origin.
 */
export function hasPreviewPaths(config: PreviewPaths): boolean {
  return config.ENVIRONMENT !== "production" || !hasPreviewHosts(config.APP_DOMAIN);
}

/** The preview's path on the service's own address, for installations without wildcard names. */
export function previewPath(slug: string, label: string): string {
  return `/preview/${slug}/${label}/`;
}

/**
 * The container that a host name belongs to; `undefined` for any other host. The port of a `Host` header is ignored.
 */
export function parsePreviewHost(
  host: string,
  appDomain: string,
): { slug: string; label: string } | undefined {
  const name = host.toLowerCase().replace(/:\d+$/u, "");
  const domain = `.${appDomain.toLowerCase()}`;
  if (!name.endsWith(domain)) return undefined;
  const [, slug, label] =
    /^([a-z0-9](?:-?[a-z0-9])*)--([a-z0-9](?:-?[a-z0-9])*)$/u.exec(name.slice(0, -domain.length)) ?? [];
  return slug === undefined || label === undefined ? undefined : { slug, label };
}
