import { z } from "zod";
import { endpoint } from "#src/http/endpoint.ts";

export const config = endpoint({
  operationId: "getConfig",
  method: "get",
  path: "/api/config",
  tag: "Service",
  summary: "Get the installation's configuration",
  description: "What a client needs to know about this installation.",
  access: "public",
  response: {
    status: 200,
    schema: z.object({
      app_domain: z.string().describe("Apex domain of project subdomains"),
      deployment_mode: z.enum(["cloudflare", "local"]),
    }),
  },
  handler: async ({ services: { config: variables } }) => ({
    app_domain: variables.APP_DOMAIN,
    // Only the local stack runs an egress server.
    deployment_mode: variables.EGRESS_URL ? ("local" as const) : ("cloudflare" as const),
  }),
});
