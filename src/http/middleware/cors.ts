import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AppEnv } from "#src/http/context.ts";
import { isTrustedOrigin } from "#src/http/origin.ts";

const EXPOSED = [
  "Content-Length",
  "X-Total-Count",
  "X-Next-Cursor",
  "X-Request-Id",
  "Retry-After",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Task-Id",
  "X-Chat-Id",
];

/**
 * Browsers on the console's own origin may send credentials. Project subdomains run users' programs and get no
 * credentialed access, because a preview page could otherwise act as its visitor. Programs send no origin, and their answers
 * are spared the headers, which cost a copy of each answer: half the time of all middleware.
 */
export const apiCors: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.req.header("origin") !== undefined || c.req.method === "OPTIONS") return forBrowsers(c, next);
  await next();
  c.header("Vary", "Origin", { append: true });
};

const forBrowsers: MiddlewareHandler<AppEnv> = cors({
  allowMethods: ["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"],
  allowHeaders: [
    "Content-Type",
    "Authorization",
    "X-Requested-With",
    "Accept",
    "Origin",
    "X-CSRF-Token",
    "Last-Event-ID",
    "Idempotency-Key",
  ],
  exposeHeaders: EXPOSED,
  maxAge: 600,
  credentials: true,
  // A preflight may come without an origin.
  origin: (origin, c) => (origin !== "" && isTrustedOrigin(origin, c.env) ? origin : null),
});
