import { z } from "zod";
import { PLATFORMS } from "#src/channels/channel.ts";
import { offeredPlatforms } from "#src/domain/messaging/gateway/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const platforms = endpoint({
  operationId: "listGatewayPlatforms",
  method: "get",
  path: "/api/gateway/platforms",
  tag: "Gateway",
  summary: "List messaging platforms",
  access: { user: "any" },
  response: {
    status: 200,
    schema: z.array(
      z.object({
        platform: z.enum(PLATFORMS),
        display_name: z.string(),
        supports_gateway: z
          .boolean()
          .describe("Whether the service keeps a connection; otherwise the platform calls a webhook"),
        setup_notes: z.string(),
      }),
    ),
  },
  handler: async ({ services }) =>
    offeredPlatforms(services).map(({ platform, label, hasConnection, needs }) => ({
      platform,
      display_name: label,
      supports_gateway: hasConnection,
      setup_notes: needs,
    })),
});
