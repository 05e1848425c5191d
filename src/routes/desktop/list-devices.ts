import { z } from "zod";
import { listDevices as list } from "#src/domain/desktop/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeDevice, Device } from "./device.ts";

export const listDevices = endpoint({
  method: "get",
  path: "/api/desktop/devices",
  summary: "The caller's desktop apps, those unpaired too, newest first",
  tag: "Desktop",
  access: { user: "any" },
  response: { status: 200, schema: z.array(Device) },
  handler: async ({ services, caller }) => (await list(services, caller.userId)).map(describeDevice),
});
