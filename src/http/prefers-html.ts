import { parseAccept } from "hono/utils/accept";

/**
 * Whether a client prefers HTML to JSON in `Accept` (RFC 9110, 12.5.1), as a browser that follows a link does. Without
 * a preference it gets JSON.
 */
export function prefersHtml({ headers }: Request): boolean {
  const accepted = parseAccept(headers.get("accept") ?? "");
  const quality = (range: string) => accepted.find(({ type }) => type.toLowerCase() === range)?.q;
  const anything = quality("*/*") ?? 0;
  const html = quality("text/html") ?? quality("text/*") ?? anything;
  const json = quality("application/json") ?? quality("application/*") ?? anything;
  return html > json;
}
