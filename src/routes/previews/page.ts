import { prefersHtml } from "#src/http/prefers-html.ts";

/** A message to the visitor of a preview, from the service and not from the program behind it. */
interface Notice {
  status: 400 | 401 | 403 | 404 | 502 | 503;
  title: string;
  sentence: string;
  /** The page reloads itself after so many seconds. */
  refreshSeconds?: number;
}

/** A page for browsers, JSON for programs. All texts are the service's own. */
export function notice(request: Request, { status, title, sentence, refreshSeconds }: Notice): Response {
  const headers = new Headers({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
  if (refreshSeconds !== undefined) headers.set("Retry-After", String(refreshSeconds));
  if (!prefersHtml(request)) {
    headers.set("Content-Type", "application/json");
    return new Response(JSON.stringify({ detail: sentence }), { status, headers });
  }
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  return new Response(html(title, sentence, refreshSeconds), { status, headers });
}

function html(title: string, sentence: string, refreshSeconds: number | undefined): string {
  const refresh =
    refreshSeconds === undefined ? "" : `<meta http-equiv="refresh" content="${refreshSeconds}">`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">${refresh}<title>${title}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;display:grid;place-content:center;min-height:90vh;margin:0;padding:1rem;text-align:center}</style>
</head><body><h1>${title}</h1><p>${sentence}</p></body></html>
`;
}
