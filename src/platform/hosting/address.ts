/** An address that people may open, of what a provider says; null for anything else. */
export function addressOf(said: string | null | undefined): string | null {
  const url = URL.parse(said ?? "");
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}
