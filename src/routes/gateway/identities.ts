import { z } from "zod";
import { PLATFORMS } from "#src/channels/channel.ts";
import { listIdentities, unlinkIdentity } from "#src/domain/messaging/identities/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeLink, PlatformIdentity } from "./identity.ts";

export const listPlatformIdentities = endpoint({
  operationId: "listGatewayIdentities",
  method: "get",
  path: "/api/gateway/identities",
  summary: "List linked platform accounts",
  description:
    "The caller's links, newest first. Each is of one channel, whose owner's word is all that says who wrote a message there.",
  tag: "Gateway",
  access: { user: "any" },
  response: { status: 200, schema: z.array(PlatformIdentity) },
  handler: async ({ services, caller }) =>
    (await listIdentities(services, caller)).map((shown) => ({
      ...describeLink(shown, caller.userId),
      id: shown.identity.id,
      is_verified: shown.identity.isVerified,
      paired_at: shown.identity.pairedAt?.toISOString() ?? null,
      created_at: shown.identity.createdAt.toISOString(),
    })),
});

export const unlinkPlatformIdentity = endpoint({
  operationId: "deleteGatewayIdentity",
  method: "delete",
  path: "/api/gateway/identities/:identity",
  summary: "Unlink a platform account",
  description:
    "In the link's channel; links in other channels stay. Nothing more is sent to the account there. Also forgets an account that waits for its code, if a channel of the caller's sent the code. The account's next message is answered with a new code.",
  tag: "Gateway",
  access: { user: "any" },
  params: z.object({ identity: z.string() }),
  response: {
    status: 200,
    schema: z.object({ status: z.literal("unlinked"), platform: z.enum(PLATFORMS) }),
  },
  async handler({ services, caller, params }) {
    const { platform } = await unlinkIdentity(services, caller, params.identity);
    return { status: "unlinked" as const, platform };
  },
});
