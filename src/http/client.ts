import type { Context } from "hono";
import type { Client } from "#src/domain/people/sessions/index.ts";
import { readAddress } from "#src/lib/ip-address.ts";
import type { AppEnv } from "./context.ts";

/** Who is calling from where, cut to what a record keeps. */
export function clientOf(c: Context<AppEnv>): Client {
  return {
    address: addressOf(c.req.raw, c.env.TRUSTED_PROXY_HOPS),
    // A cut through a character would leave half of it, which the database refuses.
    userAgent: (c.req.header("user-agent") ?? "").slice(0, 512).toWellFormed(),
  };
}

/**
 * The client's IP address, or `unknown`: what the outermost of `proxyHops` trusted proxies says it was called from, else
 * who holds the connection. Nothing that a client can write itself is believed: each proxy adds to the right of
 * `X-Forwarded-For`, and what is left of the trusted ones may be made up.
 */
export function addressOf(request: Request, proxyHops: number): string {
  return readAddress(forwardedFor(request, proxyHops) ?? peerOf(request) ?? "") ?? "unknown";
}

/** `undefined` when the request did not come through all of the proxies. */
function forwardedFor({ headers }: Request, proxyHops: number): string | undefined {
  return proxyHops > 0 ? headers.get("x-forwarded-for")?.split(",").at(-proxyHops) : undefined;
}

/**
 * Locally workerd names the peer of its own socket, as `address:port` in `cf.clientIp`; there the header is the client's
 * own word. Cloudflare knows no such field; its edge sets the header, whatever a client sent.
 * Sources: workerd, src/workerd/server/server.c++, `HttpListener::run`; Cloudflare, "HTTP request headers".
 */
function peerOf({ cf, headers }: Request): string | undefined {
  const peer: unknown = cf && Reflect.get(cf, "clientIp");
  return typeof peer === "string" ? peer : (headers.get("cf-connecting-ip") ?? undefined);
}
