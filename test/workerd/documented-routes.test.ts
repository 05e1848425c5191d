import { expect, it } from "vitest";
import { createApp } from "#src/app.ts";
import { openApiDocument } from "#src/http/openapi.ts";
import { endpoints } from "#src/routes/index.ts";
import { sockets } from "#src/routes/sockets/index.ts";

it("every route that the app serves is documented, but those for the queue, and sockets", () => {
  const { paths } = openApiDocument(endpoints, sockets, {
    serverUrl: "https://service.test",
    sessionCookie: "session",
  });
  const documented = Object.entries(paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item ?? {}).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // Middleware and the answer to a wrong method are registered for ALL methods.
  const served = createApp()
    .routes.filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{[^}]*\})?/gu, "{$1}")}`);
  const ofTheQueue = served.filter((route) => route.startsWith("POST /functions/"));
  expect(ofTheQueue).not.toEqual([]);
  // OpenAPI has no operations for WebSockets; they are in `x-websockets`.
  const ofSockets = sockets
    .flatMap(({ path, aliases = [] }) => [path, ...aliases])
    .map((path) => `GET ${path.replaceAll(/:(\w+)(\{[^}]*\})?/gu, "{$1}")}`);
  expect(new Set(served)).toEqual(new Set([...documented, ...ofTheQueue, ...ofSockets]));
});
