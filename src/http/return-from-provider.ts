import { authenticateUser, type UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Services } from "#src/services.ts";
import { accessTokenOf } from "./credentials.ts";

/** The signed-in person of a browser that a provider sent back; `undefined` if there is none. */
export async function personOf(services: Services, request: Request): Promise<UserCaller | undefined> {
  const token = accessTokenOf(request, services.config);
  return token === undefined ? undefined : authenticateUser(services, token);
}

/** Query parameter that marks the browser's second request. */
const AGAIN = "from_own_page";

/** The parameters that the provider sent. */
export function parametersOf(request: Request): URLSearchParams {
  const { searchParams } = new URL(request.url);
  searchParams.delete(AGAIN);
  return searchParams;
}

/**
 * A page of the service that redirects to the request's address again, when the browser sent no cookies because it comes
 * from another site's page (`COOKIE_SAMESITE=strict`); otherwise `undefined`. The second request has the cookies.
 */
export function onceMore(config: Services["config"], request: Request, title: string): Response | undefined {
  const url = new URL(request.url);
  const isForeign = request.headers.get("sec-fetch-site") === "cross-site";
  if (config.COOKIE_SAMESITE !== "strict" || !isForeign || url.searchParams.has(AGAIN)) return undefined;
  url.searchParams.set(AGAIN, "1");
  return new Response(`<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>`, {
    headers: {
      Refresh: `0; url=${url.href}`,
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
    },
  });
}
