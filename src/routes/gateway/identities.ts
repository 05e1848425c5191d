import { z } from "zod";
import { PLATFORMS } from "#src/channels/channel.ts";
import { listIdentities, unlinkIdentity, type Identity } from "#src/domain/messaging/identities/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";

const PlatformIdentity = z
  .object({
    id: z.uuid(),
    platform: z.enum(PLATFORMS),
    platform_user_id: z.string().describe("The person's id at the platform"),
    platform_username: z.string().nullable(),
    is_verified: z.boolean(),
    paired_at: Moment.nullable(),
    created_at: Moment,
  })
  .meta({ id: "PlatformIdentity" });

function describeIdentity(identity: Identity): z.input<typeof PlatformIdentity> {
  return {
    id: identity.id,
    platform: identity.platform,
    platform_user_id: bareId(identity),
    platform_username: identity.platformUsername,
    is_verified: identity.isVerified,
    paired_at: identity.pairedAt?.toISOString() ?? null,
    created_at: identity.createdAt.toISOString(),
  };
}

/** Slack's ids are stored with the workspace before the user, which clients do not know. */
function bareId({ platform, platformUserId }: Identity): string {
  return platform === "slack" ? platformUserId.slice(platformUserId.indexOf(":") + 1) : platformUserId;
}

export const listPlatformIdentities = endpoint({
  operationId: "listGatewayIdentities",
  method: "get",
  path: "/api/gateway/identities",
  summary: "List linked platform accounts",
  description: "The caller's verified accounts, newest first.",
  tag: "Gateway",
  access: { user: "any" },
  response: { status: 200, schema: z.array(PlatformIdentity) },
  handler: async ({ services, caller }) => (await listIdentities(services, caller)).map(describeIdentity),
});

export const unlinkPlatformIdentity = endpoint({
  operationId: "deleteGatewayIdentity",
  method: "delete",
  path: "/api/gateway/identities/:identity",
  summary: "Unlink a platform account",
  description:
    "Also forgets an account that waits for its code, if a channel of the caller's sent the code. The account's next message is answered with a new code.",
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
