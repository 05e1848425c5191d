import { z } from "zod";
import { endpoint } from "#src/http/endpoint.ts";
import { asset } from "../asset.ts";

export const stylesheet = endpoint({
  operationId: "getPageStylesheet",
  method: "get",
  path: "/account/:stylesheet{(?:style|tokens)\\.css}",
  tag: "Pages",
  summary: "Get an account page stylesheet",
  access: "public",
  params: z.object({ stylesheet: z.string() }),
  refusals: [404],
  response: { status: 200, schema: z.string(), mediaType: "text/css" },
  handler: async ({ services, request, params }) => asset(services, request, `/account/${params.stylesheet}`),
});
