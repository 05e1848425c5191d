/** Returns the part of `url` below `base`, beginning with `/`, `?` or empty; `undefined` when it lies elsewhere. */
export function relativeTo(base: string, url: string): string | undefined {
  if (!url.startsWith(base)) return undefined;
  const rest = url.slice(base.length);
  return rest === "" || rest.startsWith("/") || rest.startsWith("?") ? rest : undefined;
}
