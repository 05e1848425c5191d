import type { Env } from "#src/env.ts";
import { consoleUrl } from "#src/lib/console-url.ts";
import { isTrustedOrigin } from "./origin.ts";

const DESKTOP = /^(tauri:|https:\/\/tauri\.localhost$)/u;

/**
 * Where a person returns to from a page of another site: the page that sent the request, when it is one of the service's,
 * else the console. Without a slash at the end. The desktop app's own address means nothing to a browser, so its users return
 * to the console.
 */
export function returnOriginOf(request: Request, config: Env): string {
  const from = request.headers.get("origin") ?? originIn(request.headers.get("referer"));
  const isPage = from !== undefined && !DESKTOP.test(from);
  return isPage && isTrustedOrigin(from, config) ? from : consoleUrl(config, "");
}

function originIn(address: string | null): string | undefined {
  return address === null ? undefined : (URL.parse(address)?.origin ?? undefined);
}
