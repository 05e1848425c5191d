import { z } from "zod";
import { endpoint } from "#src/http/endpoint.ts";
import { asset } from "../asset.ts";

export const stylesheet = endpoint({
  method: "get",
  path: "/account/style.css",
  tag: "Pages",
  summary: "Get the account pages' stylesheet",
  access: "public",
  response: { status: 200, schema: z.string(), mediaType: "text/css" },
  handler: async ({ services, request }) => asset(services, request, "/account/style.css"),
});
