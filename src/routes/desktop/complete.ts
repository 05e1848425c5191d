import { z } from "zod";
import { pairDevice } from "#src/domain/programs/desktop/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { describePaired, DeviceFields, Paired, readDevice, ScopeInput } from "./device.ts";

export const complete = endpoint({
  operationId: "createDesktopKey",
  method: "post",
  path: "/api/desktop/pair/complete",
  summary: "Create a desktop key",
  description: "For a desktop app that takes the key itself instead of a pairing link.",
  tag: "Desktop",
  access: { user: "any" },
  example: { device_name: "Laptop" },
  body: z.object({ ...DeviceFields, scopes: ScopeInput }),
  response: { status: 200, schema: Paired },
  async handler({ services, caller, body: { scopes, ...fields }, client }) {
    const input = { device: readDevice(fields), scopes: scopes ?? null };
    const paired = await pairDevice(services, caller, input, client);
    return new Reply(describePaired(paired), { "Cache-Control": "no-store" });
  },
});
