/** Settings that decide where previews are. */
interface PreviewHosts {
  PUBLIC_URL: string;
  APP_DOMAIN: string;
}

/**
 * The Content-Security-Policy of a console page. The console runs its own scripts and makes no HTML out of text: both are
 * forbidden. Pictures of a project come as `blob:` of the console's own. Its editor and its terminal write their styles into
 * the page, each with the nonce of this one answer.
 */
export function consolePolicy(config: PreviewHosts, styleNonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${styleNonce}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    `frame-src ${previewSources(config)}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** Previews are on the service's own address, and on hosts of their own. */
function previewSources({ PUBLIC_URL, APP_DOMAIN }: PreviewHosts): string {
  const { protocol, port } = new URL(PUBLIC_URL);
  return `'self' ${protocol}//*.${APP_DOMAIN}${port === "" ? "" : `:${port}`}`;
}
