import { z } from "zod";
import { exchangePairing } from "#src/domain/programs/desktop/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describePaired, DeviceFields, Paired, readDevice } from "./device.ts";

export const exchange = endpoint({
  operationId: "exchangePairingToken",
  method: "post",
  path: "/api/desktop/pair/exchange",
  summary: "Exchange a pairing token",
  description:
    "Exchanges the token of a pairing link for a key. Only one of several concurrent attempts succeeds.",
  tag: "Desktop",
  access: "public",
  example: { token: "the token of the link" },
  body: z.object({ token: text({ min: 1, max: 512 }), ...DeviceFields }),
  refusals: [400, 401, 429],
  response: { status: 200, schema: Paired },
  async handler({ services, body: { token, ...fields }, client }) {
    const paired = await exchangePairing(services, token, readDevice(fields), client);
    return new Reply(describePaired(paired), { "Cache-Control": "no-store" });
  },
});
