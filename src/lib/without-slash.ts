/** An address without the slashes at its end, for a path to be put behind it. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/u, "");
}
