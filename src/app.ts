import { Hono } from "hono";
import { doneBeside } from "#functions/at-once.ts";
import { functions } from "#functions/index.ts";
import type { AppEnv } from "#src/http/context.ts";
import { onError, onNotFound } from "#src/http/errors.ts";
import { apiCors } from "#src/http/middleware/cors.ts";
import { requestScope } from "#src/http/middleware/request-scope.ts";
import { apiSecureHeaders } from "#src/http/middleware/secure-headers.ts";
import { methodNotAllowed, noteMethods } from "#src/http/middleware/method-not-allowed.ts";
import { previewHosts, previewPath } from "#src/routes/previews/index.ts";
import { endpoints } from "#src/routes/index.ts";
import { sockets } from "#src/routes/sockets/index.ts";

/** The whole HTTP interface: middleware in the order it runs, then the table of endpoints. */
export function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: false });
  app.onError(onError);
  app.notFound(onNotFound);
  app.use(requestScope(doneBeside));
  // Previews run untrusted programs, so the API's middleware and routes do not apply to their hosts and paths.
  app.use(previewHosts);
  app.all("/preview/:slug/:label", previewPath);
  app.all("/preview/:slug/:label/*", previewPath);
  // The queue's calls come before middleware that only browsers need.
  app.route("/functions", functions);
  app.use(apiSecureHeaders);
  app.use(apiCors);
  // Before the endpoints, because `/api/tasks/ws` would otherwise match a task's path.
  for (const each of sockets) each.mount(app);
  for (const each of endpoints) each.mount(app);
  for (const [path, methods] of methodsByPath()) app.all(path, noteMethods(methods));
  app.all("*", methodNotAllowed);
  return app;
}

function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  const note = (method: string, { path, aliases = [] }: { path: string; aliases?: readonly string[] }) => {
    for (const each of [path, ...aliases]) methods.set(each, [...(methods.get(each) ?? []), method]);
  };
  for (const each of endpoints) note(each.method.toUpperCase(), each);
  for (const each of sockets) note("GET", each);
  return methods;
}
