import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import type { AppEnv } from "#src/http/context.ts";

const POLICY = "Content-Security-Policy";

const setHeaders = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: false,
  referrerPolicy: "no-referrer",
  xFrameOptions: "DENY",
});

/**
 * Responses are data: no page may frame them, and browsers must neither sniff their type nor execute them. A page keeps
 * the policy that it set itself.
 */
export const apiSecureHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  let own: string | null = null;
  await setHeaders(c, async () => {
    await next();
    own = c.res.headers.get(POLICY);
  });
  if (own !== null) c.header(POLICY, own);
};
