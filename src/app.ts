import { Hono } from "hono";
import { functions } from "#functions/index.ts";
import type { AppEnv } from "#src/http/context.ts";
import { onError, onNotFound } from "#src/http/errors.ts";
import { apiCors } from "#src/http/middleware/cors.ts";
import { requestScope } from "#src/http/middleware/request-scope.ts";
import { apiSecureHeaders } from "#src/http/middleware/secure-headers.ts";
import { methodNotAllowed } from "#src/http/middleware/method-not-allowed.ts";
import { endpoints } from "#src/routes/index.ts";

/** The whole HTTP surface: middleware in the order it runs, then the table of endpoints. */
export function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: false });
  app.onError(onError);
  app.notFound(onNotFound);
  app.use(requestScope);
  // The queue's calls come before what only browsers need.
  app.route("/functions", functions);
  app.use(apiSecureHeaders);
  app.use(apiCors);
  for (const each of endpoints) each.mount(app);
  for (const path of new Set(endpoints.flatMap((each) => [each.path, ...each.aliases]))) {
    app.all(path, methodNotAllowed);
  }
  return app;
}
