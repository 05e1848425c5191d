/**
 * The address of a path below the service's. Throws a `TypeError` for a path that leads elsewhere: its credentials would
 * go along.
 */
export function addressOf(
  base: string,
  template: string,
  path: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  if (!template.startsWith("/")) throw new TypeError(`A path begins with "/": ${template}`);
  const filled = template.replaceAll(/\{(\w+)\}/gu, (_, name: string) => segment(name, path[name]));
  const search = searchOf(query);
  return `${base}${filled}${search && (filled.includes("?") ? "&" : "?")}${search}`;
}

/** A value within a path. `.` and `..` would be taken as steps, also when they are escaped. */
function segment(name: string, value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (text === "" || text === "." || text === "..") {
    throw new TypeError(`The path needs a value for "${name}"`);
  }
  return encodeURIComponent(text);
}

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) {
        search.append(name, String(each));
      }
    }
  }
  return search.toString();
}

/** Checks the address of a service and returns it without a slash at its end. Throws a `TypeError`. */
export function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isBare = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isBare || !/^https?:$/u.test(url.protocol)) {
    throw new TypeError("baseUrl must be an http(s) address without password and query");
  }
  return url.href.replace(/\/+$/u, "");
}
