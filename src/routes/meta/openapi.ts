import { z } from "zod";
import { cookieName } from "#src/http/cookies.ts";
import { endpoint, type Endpoint } from "#src/http/endpoint.ts";
import { openApiDocument } from "#src/http/openapi.ts";
import type { Socket } from "#src/http/socket.ts";

/**
 * Generates the document of a table of endpoints. The table is passed as a function, because this endpoint is part of
 * it.
 */
export function openApi(endpoints: () => readonly Endpoint[], sockets: readonly Socket[]): Endpoint {
  // Generated once per address of the service; a process has one, and tests a few.
  const documents = new Map<string, ReturnType<typeof openApiDocument>>();
  return endpoint({
    operationId: "getOpenApiDocument",
    method: "get",
    path: "/openapi.json",
    tag: "Service",
    summary: "Get the OpenAPI document",
    description: "OpenAPI 3.1.",
    access: "public",
    response: { status: 200, schema: z.record(z.string(), z.unknown()) },
    async handler({ services: { config } }) {
      const deployment = { serverUrl: config.PUBLIC_URL, sessionCookie: cookieName(config, "session") };
      const key = JSON.stringify(deployment);
      const document = documents.get(key) ?? openApiDocument(endpoints(), sockets, deployment);
      documents.set(key, document);
      return document;
    },
  });
}
