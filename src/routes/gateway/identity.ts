import { z } from "zod";
import { PLATFORMS } from "#src/channels/channel.ts";
import { belongsTo, maskedAddress, type ShownIdentity } from "#src/domain/messaging/identities/index.ts";
import { Moment } from "#src/http/schemas.ts";

/** The channel of a link, as the people who write through it see it. */
const LinkedChannel = z
  .object({
    id: z.uuid(),
    name: z.string(),
    owner_name: z.string(),
    owner_email: z.string().describe("Whole for the owner, else without its domain"),
    is_own: z.boolean().describe("Whether the channel is the caller's"),
    team_name: z.string().nullable(),
    project_name: z.string().nullable().describe("Project in which the agent works; null for none"),
    shares_links: z
      .boolean()
      .describe(
        "Whether a new link also counts in the owner's other channels of the platform that share links",
      ),
    description: z.string().describe("Whose the bot is and where the agent works, as a sentence"),
  })
  .meta({ id: "LinkedChannel" });

/** The sender and the channel of a link. */
export const LinkFields = z.object({
  platform: z.enum(PLATFORMS),
  platform_user_id: z.string().describe("The sender's id at the platform"),
  platform_username: z.string().nullable(),
  channel: LinkedChannel,
});

export const PlatformIdentity = LinkFields.extend({
  id: z.uuid(),
  is_verified: z.boolean(),
  paired_at: Moment.nullable(),
  created_at: Moment,
}).meta({ id: "PlatformIdentity" });

export function describeLink(
  { identity, channel }: ShownIdentity,
  viewerId: string,
): z.input<typeof LinkFields> {
  const isOwn = channel.ownerId === viewerId;
  return {
    platform: identity.platform,
    platform_user_id: bareId(identity),
    platform_username: identity.platformUsername,
    channel: {
      id: channel.id,
      name: channel.name,
      owner_name: channel.ownerName,
      owner_email: isOwn ? channel.ownerEmail : maskedAddress(channel.ownerEmail),
      is_own: isOwn,
      team_name: channel.teamName,
      project_name: channel.projectName,
      shares_links: channel.sharesLinks,
      description: belongsTo(channel),
    },
  };
}

/** Slack's ids are stored with the workspace before the user, which clients do not know. */
function bareId({ platform, platformUserId }: ShownIdentity["identity"]): string {
  return platform === "slack" ? platformUserId.slice(platformUserId.indexOf(":") + 1) : platformUserId;
}
