import { z } from "zod";
import { cookieName } from "#src/http/cookies.ts";
import { endpoint, type Endpoint } from "#src/http/endpoint.ts";
import { openApiDocument } from "#src/http/openapi.ts";

/**
 * Generates the document of a table of endpoints. The table is passed as a function, because this endpoint is part of
 * it.
 */
export function openApi(endpoints: () => readonly Endpoint[]): Endpoint {
  return endpoint({
    method: "get",
    path: "/openapi.json",
    tag: "Service",
    summary: "Get the OpenAPI document",
    description: "OpenAPI 3.1.",
    access: "public",
    response: { status: 200, schema: z.record(z.string(), z.unknown()) },
    handler: async ({ services: { config } }) =>
      openApiDocument(endpoints(), {
        serverUrl: config.PUBLIC_URL,
        sessionCookie: cookieName(config, "session"),
      }),
  });
}
