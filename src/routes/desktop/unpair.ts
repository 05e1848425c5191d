import { z } from "zod";
import { unpairDevice } from "#src/domain/desktop/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeUnpaired, Unpaired } from "./device.ts";

export const unpair = endpoint({
  method: "delete",
  path: "/api/desktop/devices/:device",
  summary: "Unpair a desktop app: its key ends at once and for good; fine to repeat",
  tag: "Desktop",
  access: { user: "any" },
  params: z.object({ device: z.string() }),
  response: { status: 200, schema: Unpaired },
  handler: async ({ services, caller, params, client }) =>
    describeUnpaired(await unpairDevice(services, caller.userId, params.device, client)),
});
