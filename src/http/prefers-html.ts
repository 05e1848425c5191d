import { parseAccept } from "hono/utils/accept";

/**
 * Whether a client would rather have a page than JSON, as a browser that follows a link says in `Accept` (RFC 9110, 12.5.1).
 * One that likes both alike, or says nothing, gets JSON.
 */
export function prefersHtml({ headers }: Request): boolean {
  const accepted = parseAccept(headers.get("accept") ?? "");
  const quality = (range: string) => accepted.find(({ type }) => type.toLowerCase() === range)?.q;
  const anything = quality("*/*") ?? 0;
  const html = quality("text/html") ?? quality("text/*") ?? anything;
  const json = quality("application/json") ?? quality("application/*") ?? anything;
  return html > json;
}
