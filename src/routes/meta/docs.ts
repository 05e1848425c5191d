import { z } from "zod";
import { endpoint } from "#src/http/endpoint.ts";
import { asset } from "../asset.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Agent Workspace Service: API reference</title>
</head>
<body>
<script id="api-reference" data-url="/openapi.json" data-configuration='{"withDefaultFonts":false,"telemetry":false,"agent":{"disabled":true},"mcp":{"disabled":true},"showDeveloperTools":"never","hideClientButton":true}'></script>
<script src="/docs/scalar.js"></script>
</body>
</html>
`;

/** The page runs one script of its own origin and loads nothing from other hosts. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

export const docs = endpoint({
  operationId: "getApiReference",
  method: "get",
  path: "/docs",
  tag: "Service",
  summary: "Read the API reference",
  description: "A page to read this API and try it. It loads nothing from other hosts.",
  access: "public",
  response: { status: 200, schema: z.string(), mediaType: "text/html" },
  handler: async () =>
    new Response(PAGE, {
      headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY },
    }),
});

export const docsScript = endpoint({
  operationId: "getApiReferenceScript",
  method: "get",
  path: "/docs/scalar.js",
  tag: "Service",
  summary: "Get the reference page's script",
  access: "public",
  refusals: [404],
  response: { status: 200, schema: z.string(), mediaType: "text/javascript" },
  handler: async ({ services, request }) => asset(services, request, "/docs/scalar.js"),
});
