import { z } from "zod";
import { mintPairing } from "#src/domain/programs/desktop/index.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { ScopeInput } from "./device.ts";

export const mint = endpoint({
  operationId: "createPairingLink",
  method: "post",
  path: "/api/desktop/pair",
  summary: "Create a pairing link",
  description: "The link pairs one desktop app. It works once and expires after minutes.",
  tag: "Desktop",
  access: { user: "any" },
  example: {},
  body: z.object({ scopes: ScopeInput }),
  response: {
    status: 200,
    schema: z.object({
      pairing_token: z.string(),
      deep_link: z.string().describe("Opens the desktop app with the token"),
      expires_at: Moment,
    }),
  },
  async handler({ services, caller, body, client }) {
    const pairing = await mintPairing(services, caller, body.scopes ?? null, client);
    return new Reply(
      {
        pairing_token: pairing.token,
        deep_link: pairing.deepLink,
        expires_at: pairing.expiresAt.toISOString(),
      },
      { "Cache-Control": "no-store" },
    );
  },
});
