import { z } from "zod";
import { askBotsSoon } from "#src/domain/messaging/channels/index.ts";
import { retryConnections } from "#src/domain/messaging/gateway/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const reload = endpoint({
  operationId: "reloadGateway",
  method: "post",
  path: "/api/gateway/reload",
  tag: "Gateway",
  summary: "Resync all connections",
  description:
    "Has all connections follow their channels at once, and makes new attempts at those that are stopped or wait. From the next minute on, platforms are asked again who the bots are.",
  access: { user: "superuser" },
  response: { status: 200, schema: z.object({ status: z.literal("reload_signalled") }) },
  handler: async ({ services, caller, client: { address } }) => {
    await askBotsSoon(services);
    await retryConnections(services, { adminId: caller.userId, address });
    return { status: "reload_signalled" as const };
  },
});
