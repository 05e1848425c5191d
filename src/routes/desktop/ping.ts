import { z } from "zod";
import { readPairing } from "#src/domain/programs/desktop/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";

export const ping = endpoint({
  operationId: "checkDesktopKey",
  method: "get",
  path: "/api/desktop/session/ping",
  summary: "Check an API key",
  description: "Returns whether the key is valid and which device it is paired with.",
  tag: "Desktop",
  access: { key: "any" },
  response: {
    status: 200,
    schema: z.object({
      ok: z.literal(true),
      paired: z.boolean().describe("Whether the key belongs to a desktop app"),
      user_id: z.uuid(),
      key_id: z.uuid(),
      device_id: z.uuid().nullable(),
      expires_at: Moment.nullable(),
    }),
  },
  async handler({ services, caller }) {
    const { deviceId, expiresAt } = await readPairing(services, caller);
    return {
      ok: true as const,
      paired: deviceId !== null,
      user_id: caller.userId,
      key_id: caller.keyId,
      device_id: deviceId,
      expires_at: expiresAt?.toISOString() ?? null,
    };
  },
});
