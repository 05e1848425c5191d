import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "#src/http/context.ts";
import { loggedPath } from "#src/http/logged-path.ts";
import { createLog } from "#src/platform/log/log.ts";
import { createServices, type AtOnce } from "#src/services.ts";

/** Does urgent messages in a request, beside its response and after it. */
type DoneBeside = (waitUntil: (work: Promise<unknown>) => void) => AtOnce;

/** Gives the request its id and services. Logs its round trips, and in development adds them to the response. */
export const requestScope =
  (doneBeside: DoneBeside): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const started = Date.now();
    const requestId = rayOf(c.req.header("cf-ray")) ?? crypto.randomUUID();
    const services = createServices(
      c.env,
      createLog({ request_id: requestId }),
      doneBeside((work) => c.executionCtx.waitUntil(work)),
    );
    c.set("requestId", requestId);
    c.set("services", services);
    await next();
    const announcing = services.fileChanges.sent();
    if (announcing) c.executionCtx.waitUntil(announcing);
    // Each `c.header` on an existing response copies it, so one call makes it mutable for the rest.
    c.header("X-Request-Id", requestId);
    const { headers } = c.res;
    for (const [name, value] of Object.entries(c.get("rateHeaders") ?? {})) {
      // The refusal of another limit has already set its own state.
      if (!headers.has(name)) headers.set(name, value);
    }
    if (c.env.ENVIRONMENT !== "production") {
      const { db, publish, objects } = services.trips;
      headers.set("Server-Timing", `db;desc="${db}", publish;desc="${publish}", objects;desc="${objects}"`);
    }
    const fields = {
      method: c.req.method,
      path: loggedPath(c.req.path),
      status: c.res.status,
      ms: Date.now() - started,
      ...services.trips,
    };
    services.log.info("request", fields);
  };

/** Cloudflare's request id; `undefined` for a header of any other form. */
function rayOf(header: string | undefined): string | undefined {
  return header !== undefined && /^[0-9a-f]{16}-[A-Z]{3}$/u.test(header) ? header : undefined;
}
