import type { Context } from "hono";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { readAddress } from "#src/lib/ip-address.ts";
import type { AppEnv } from "./context.ts";

/** The client's address and user agent, truncated to the lengths that records store. */
export function clientOf(c: Context<AppEnv>): Client {
  return {
    address: addressOf(c.req.raw, c.env.TRUSTED_PROXY_HOPS),
    // A cut may split a surrogate pair, whose half the database refuses.
    userAgent: (c.req.header("user-agent") ?? "").slice(0, 512).toWellFormed(),
  };
}

/**
 * The client's IP address, or `unknown`: the address from which the outermost of `proxyHops` trusted proxies was
 * called; without proxies, the peer of the connection. Values that a client can forge are ignored: each proxy appends
 * to `X-Forwarded-For`, so entries left of those of the trusted proxies may be forged.
 */
export function addressOf(request: Request, proxyHops: number): string {
  return readAddress(forwardedFor(request, proxyHops) ?? peerOf(request) ?? "") ?? "unknown";
}

/** `undefined` when the request did not come through all of the proxies. */
function forwardedFor({ headers }: Request, proxyHops: number): string | undefined {
  return proxyHops > 0 ? headers.get("x-forwarded-for")?.split(",").at(-proxyHops) : undefined;
}

/**
 * Locally, workerd names the peer of its own socket as `address:port` in `cf.clientIp`; there the client could forge
 * the header. Cloudflare has no such field; its edge always sets the header itself. Sources: workerd,
 * src/workerd/server/server.c++, `HttpListener::run`; Cloudflare, "HTTP request headers".
 */
function peerOf({ cf, headers }: Request): string | undefined {
  const peer: unknown = cf && Reflect.get(cf, "clientIp");
  return typeof peer === "string" ? peer : (headers.get("cf-connecting-ip") ?? undefined);
}
