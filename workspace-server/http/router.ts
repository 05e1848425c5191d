import type { Route } from "./exchange.ts";

export type Router = (
  method: string,
  path: string,
) => { route: Route; params: Record<string, string> } | undefined;

/** Finds the route of a request. */
export function createRouter(routes: readonly Route[]): Router {
  const known = routes.map((route) => ({ route, segments: route.path.split("/") }));
  return (method, path) => {
    const given = path.split("/");
    for (const { route, segments } of known) {
      if (route.method !== method || segments.length !== given.length) continue;
      const params = match(segments, given);
      if (params) return { route, params };
    }
    return undefined;
  };
}

function match(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? "";
    if (!segment.startsWith(":")) {
      if (segment !== value) return undefined;
      continue;
    }
    try {
      params[segment.slice(1)] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return params;
}
