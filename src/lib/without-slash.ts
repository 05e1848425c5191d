/** An address without trailing slashes, to which a path can be appended. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/u, "");
}
