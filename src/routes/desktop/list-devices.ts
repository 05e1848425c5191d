import { z } from "zod";
import * as desktop from "#src/domain/programs/desktop/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeDevice, Device } from "./device.ts";

export const listDevices = endpoint({
  operationId: "listDesktopDevices",
  method: "get",
  path: "/api/desktop/devices",
  summary: "List paired desktop apps",
  description: "The caller's desktop apps, newest first. Unpaired apps are included.",
  tag: "Desktop",
  access: { user: "any" },
  response: { status: 200, schema: z.array(Device) },
  handler: async ({ services, caller }) =>
    (await desktop.listDevices(services, caller.userId)).map(describeDevice),
});
