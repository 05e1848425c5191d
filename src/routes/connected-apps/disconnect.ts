import { z } from "zod";
import { disconnectApp } from "#src/domain/programs/connected-apps/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const disconnect = endpoint({
  operationId: "disconnectApp",
  method: "delete",
  path: "/api/auth/connected-apps/:connected_app",
  tag: "Sessions",
  summary: "Disconnect an app",
  description: "Its tokens become invalid, and the tasks that it started end.",
  access: { user: "any" },
  params: z.object({ connected_app: z.string() }),
  refusals: [404],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await disconnectApp(services, caller, params.connected_app, client);
    return null;
  },
});
