/** How long a person can read why an account was not connected, in milliseconds. */
const READING_MS = 4000;

/** The page runs its own script, named by a nonce, and nothing else. */
const policyOf = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** A page that says whether an account is connected and closes its window. Its words are the service's own. */
export function closingPage(
  { label, isConnected }: { label: string; isConnected: boolean },
  headers: Readonly<Record<string, string>>,
): Response {
  const nonce = crypto.randomUUID();
  const sentence = isConnected ? `${label} is connected` : `${label} was not connected: try again`;
  const delay = isConnected ? 0 : READING_MS;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${label}</title></head>
<body><p>${sentence}. You can close this window.</p>
<script nonce="${nonce}">setTimeout(() => window.close(), ${delay});</script></body></html>
`;
  return new Response(html, {
    headers: {
      ...headers,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policyOf(nonce),
    },
  });
}
