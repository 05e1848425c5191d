import { z } from "zod";
import { endpoint } from "#src/http/endpoint.ts";
import { asset } from "../asset.ts";

export const script = endpoint({
  operationId: "getPageScript",
  method: "get",
  path: "/account/scripts/:script{[a-z-]+\\.js}",
  tag: "Pages",
  summary: "Get an account page script",
  access: "public",
  params: z.object({ script: z.string() }),
  refusals: [404],
  response: { status: 200, schema: z.string(), mediaType: "text/javascript" },
  handler: async ({ services, request, params }) =>
    asset(services, request, `/account/scripts/${params.script}`),
});
