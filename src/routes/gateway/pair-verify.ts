import { z } from "zod";
import { PLATFORMS } from "#src/channels/channel.ts";
import { confirmPairing } from "#src/domain/conversations/sessions/index.ts";
import { previewPairing, verifyPairing } from "#src/domain/messaging/identities/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describeLink, LinkFields } from "./identity.ts";

const Code = z.object({
  platform: z.enum(PLATFORMS),
  pairing_code: text({ min: 1, max: 100, trim: true }).describe("Case, spaces and dashes make no difference"),
});
const example = { platform: "telegram", pairing_code: "ABCD2345" } as const;

export const pairPreview = endpoint({
  operationId: "previewGatewayPairing",
  method: "post",
  path: "/api/gateway/pair/preview",
  summary: "Look at a pairing code",
  description:
    "Tells which platform account the code links, and whose bot sent it, so that a person decides before the code is used. A wrong code counts as in `POST /api/gateway/pair/verify`.",
  tag: "Gateway",
  access: { user: "any" },
  example,
  body: Code,
  refusals: [404],
  response: { status: 200, schema: LinkFields },
  async handler({ services, caller, body, client }) {
    const { platform, pairing_code: code } = body;
    return describeLink(await previewPairing(services, caller, { platform, code }, client), caller.userId);
  },
});

export const pairVerify = endpoint({
  operationId: "verifyGatewayPairing",
  method: "post",
  path: "/api/gateway/pair/verify",
  summary: "Link a platform account",
  description:
    "Links the platform account that was sent this code to the caller, in the channel of the code. Every code that is not good is refused in the same words: unknown, expired, used or of another platform. After five wrong codes in an hour all are refused.",
  tag: "Gateway",
  access: { user: "any" },
  example,
  body: Code,
  refusals: [404],
  response: {
    status: 200,
    schema: z.object({ status: z.literal("paired"), platform: z.enum(PLATFORMS) }),
  },
  async handler({ services, caller, body, client, waitUntil }) {
    const { platform, pairing_code: code } = body;
    const identity = await verifyPairing(services, caller, { platform, code }, client);
    waitUntil(confirmPairing(services, identity));
    return { status: "paired" as const, platform };
  },
});
