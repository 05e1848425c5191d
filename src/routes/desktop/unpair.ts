import { z } from "zod";
import { unpairDevice } from "#src/domain/programs/desktop/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeUnpaired, Unpaired } from "./device.ts";

export const unpair = endpoint({
  operationId: "unpairDesktopDevice",
  method: "delete",
  path: "/api/desktop/devices/:device",
  summary: "Unpair a desktop app",
  description: "The app's key is revoked at once and for good. Idempotent.",
  tag: "Desktop",
  access: { user: "any" },
  params: z.object({ device: z.string() }),
  response: { status: 200, schema: Unpaired },
  handler: async ({ services, caller, params, client }) =>
    describeUnpaired(await unpairDevice(services, caller.userId, params.device, client)),
});
