import { newToken } from "#src/lib/random-token.ts";

/**
 * A page in a frame, for who came here from a preview without the session. Firefox sends a `Lax` cookie with no redirect that
 * another site was part of, and on the local machine previews are another site. So the page asks the console, which frames it,
 * to open this address itself: the cookie is sent with that. Source: RFC 6265bis, section 5.2.1.
 */
export function askFrame(): Response {
  const nonce = newToken().token;
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": `default-src 'none'; script-src 'nonce-${nonce}'; frame-ancestors 'self'`,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  };
  const script = `parent.postMessage({ type: "preview_entrance", address: location.href }, location.origin)`;
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Preview</title>
<p>Opening the preview… If nothing happens, <a href="/login" target="_top">sign in</a> again.</p>
<script nonce="${nonce}">${script}</script></html>
`;
  return new Response(html, { headers });
}
