import { unpairKey } from "#src/domain/programs/desktop/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeUnpaired, Unpaired } from "./device.ts";

export const revoke = endpoint({
  operationId: "unpairCallingDesktop",
  method: "post",
  path: "/api/v1/desktop/pair/revoke",
  summary: "Unpair the calling desktop app",
  description: "The app's key is revoked at once and for good.",
  tag: "Desktop",
  access: { key: "desktop.pair" },
  response: { status: 200, schema: Unpaired },
  handler: async ({ services, caller, client }) =>
    describeUnpaired(await unpairKey(services, caller, client)),
});
