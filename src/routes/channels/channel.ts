import { z } from "zod";
import { PLATFORMS } from "#src/channels/channel.ts";
import {
  LOSS_SENTENCES,
  type Channel as ChannelRow,
  type ShownChannel,
} from "#src/domain/messaging/channels/index.ts";
import { resync } from "#src/domain/messaging/gateway/index.ts";
import type { Call } from "#src/http/endpoint.ts";
import { JsonObject, Moment, text } from "#src/http/schemas.ts";

/** The path of a route below both bases; existing clients use the second alone. */
export const pathsOf = (rest = "") => ({
  path: `/api/channels${rest}`,
  aliases: [`/api/channels/configs${rest}`],
});

export const ChannelParams = z.object({ channel: z.string() });
export const MessageParams = ChannelParams.extend({ channel_message: z.string() });

const Mode = z.enum(["connection", "webhook"]);
const GroupMode = z.enum(["mention", "all", "off"]);

/** Fields of a channel that its owner sets when it is made or changed. */
export const Settings = z.object({
  name: text({ min: 1, max: 100, trim: true }).nullish(),
  group_mode: GroupMode.nullish().describe(
    "Which messages of a group are taken: those that mention the bot, reply to it or are commands; all; or none",
  ),
  inbound_mode: Mode.nullish().describe(
    "How messages arrive: the service connects to the platform, or the platform calls the webhook. Telegram, Slack and Discord have both",
  ),
  reactions: z.boolean().nullish().describe("Whether the bot shows by a reaction that it received a message"),
  has_reactions: z.boolean().nullish().describe("Another name of `reactions`"),
  shares_links: z
    .boolean()
    .nullish()
    .describe(
      "Whether an account that is linked here from now on is also linked in the caller's other channels of the platform that share links; false by default",
    ),
});

export const Credentials = JsonObject.describe(
  "telegram: `bot_token`, `pool_tokens` (list, optional). slack: `bot_token`, `signing_secret`, `app_token` (optional, for connections). discord: `bot_token`, `application_id`, `public_key`. whatsapp: `access_token`, `phone_number_id`, `verify_token`, `app_secret`. signal: `signal_cli_url`, `phone_number`. cli: none",
);

/** The settings that a body holds, by the names of the domain. */
export function settingsOf(body: z.output<typeof Settings>) {
  return {
    name: body.name ?? undefined,
    groupMode: body.group_mode ?? undefined,
    inboundMode: body.inbound_mode ?? undefined,
    hasReactions: body.reactions ?? body.has_reactions ?? undefined,
    sharesLinks: body.shares_links ?? undefined,
  };
}

/** A channel as its owner sees it. */
export const Channel = z
  .object({
    id: z.uuid(),
    config_id: z.uuid().describe("As `id`"),
    channel_type: z.enum(PLATFORMS),
    platform_type: z.enum(PLATFORMS).describe("As `channel_type`"),
    name: z.string(),
    project_id: z
      .uuid()
      .nullable()
      .describe(
        "Project of the channel's messages; null for the owner's default workspace, and nobody else's",
      ),
    default_agent_id: z.string().nullable(),
    is_active: z.boolean().describe("False once the channel is deleted, or ended with its owner's access"),
    credentials: z.record(z.string(), z.unknown()).describe("Masked"),
    webhook_url: z
      .string()
      .nullable()
      .describe(
        "Address for the platform, with its secret; of Telegram, where the service enters it, without. Null when the platform calls none",
      ),
    setup: z.array(z.string()).describe("What to do next at the platform"),
    group_mode: GroupMode,
    inbound_mode: Mode,
    reactions: z.boolean(),
    has_reactions: z.boolean().describe("As `reactions`"),
    shares_links: z
      .boolean()
      .describe("Whether links are shared with the owner's other channels that say so"),
    is_proved: z
      .boolean()
      .describe("Whether the platform confirmed whose bot it is. A webhook takes nothing before that"),
    gateway_shard: z.int(),
    bot_name: z.string().nullable().describe("Name of the bot, as the platform told it"),
    connection_state: z
      .enum(["connecting", "connected", "retrying", "stopped"])
      .nullable()
      .describe("Null without a connection"),
    connected: z.boolean().describe("Whether messages can arrive, as far as is known"),
    last_error: z
      .string()
      .nullable()
      .describe(
        "Why the channel does not work: what its owner has lost, or the last failure at the platform; null after a success",
      ),
    created_at: Moment,
    updated_at: Moment,
  })
  .meta({ id: "ChannelConfig" });

export function describeChannel(shown: ShownChannel): z.input<typeof Channel> {
  const { channel, loss } = shown;
  return {
    id: channel.id,
    config_id: channel.id,
    channel_type: channel.channelType,
    platform_type: channel.channelType,
    name: channel.name,
    project_id: channel.projectId,
    default_agent_id: channel.defaultAgentId,
    is_active: channel.isActive,
    credentials: shown.credentials,
    webhook_url: shown.webhookUrl,
    setup: [...shown.setup],
    group_mode: channel.groupMode,
    inbound_mode: channel.inboundMode,
    reactions: channel.hasReactions,
    has_reactions: channel.hasReactions,
    shares_links: channel.linksSharedSince !== null,
    is_proved: channel.provedAt !== null,
    gateway_shard: channel.gatewayShard,
    bot_name: channel.botName,
    connection_state: loss === null && isConnecting(channel) ? channel.connectionState : null,
    connected: loss === null && isConnected(channel),
    last_error: loss === null || loss === "deleted" ? channel.lastError : LOSS_SENTENCES[loss],
    created_at: channel.createdAt.toISOString(),
    updated_at: channel.updatedAt?.toISOString() ?? channel.createdAt.toISOString(),
  };
}

const isConnecting = ({ isActive, inboundMode }: ChannelRow) => isActive && inboundMode === "connection";

/** Command-line clients connect by themselves, so that their channel has no connection of its own. */
function isConnected(channel: ChannelRow): boolean {
  const { channelType, connectionState, lastError, isActive } = channel;
  if (isConnecting(channel)) return channelType === "cli" || connectionState === "connected";
  return isActive && lastError === null;
}

/** Has the gateway's connections follow a channel that was changed. */
export function followChannel(
  { services, waitUntil }: Pick<Call<"public", undefined, undefined, undefined>, "services" | "waitUntil">,
  { gatewayShard }: ChannelRow,
): void {
  waitUntil(resync(services, gatewayShard % services.config.GATEWAY_NUM_SHARDS));
}
