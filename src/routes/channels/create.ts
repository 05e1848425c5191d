import { z } from "zod";
import { PLATFORMS } from "#src/channels/channel.ts";
import { createChannel as create, type ChannelInput } from "#src/domain/messaging/channels/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AgentId } from "#src/http/schemas.ts";
import {
  Channel,
  Credentials,
  describeChannel,
  followChannel,
  pathsOf,
  Settings,
  settingsOf,
} from "./channel.ts";

const PlatformName = z.enum(PLATFORMS).optional();

const Body = Settings.extend({
  channel_type: PlatformName.describe("Required, in this field or in one of its other names"),
  platform: PlatformName.describe("As `channel_type`"),
  type: PlatformName.describe("As `channel_type`"),
  platform_type: PlatformName.describe("As `channel_type`"),
  credentials: Credentials.default({}),
  project_id: z
    .uuid()
    .nullish()
    .describe("Project of the channel's messages, in which the caller may manage channels"),
  default_agent_id: AgentId.nullish(),
}).transform((body, context): ChannelInput => {
  const channelType = body.channel_type ?? body.platform ?? body.type ?? body.platform_type;
  if (!channelType) {
    context.addIssue({ code: "custom", path: ["channel_type"], message: "is required" });
    return z.NEVER;
  }
  return {
    ...settingsOf(body),
    channelType,
    credentials: body.credentials,
    projectId: body.project_id ?? null,
    defaultAgentId: body.default_agent_id ?? null,
  };
});

export const createChannel = endpoint({
  operationId: "createChannel",
  method: "post",
  ...pathsOf(),
  summary: "Connect a messaging channel",
  description:
    "The platform is asked who the bot is; credentials that it refuses are refused. A platform that does not respond is named in `last_error`.",
  tag: "Channels",
  access: { user: "any" },
  example: {
    channel_type: "telegram",
    name: "Support",
    credentials: { bot_token: "123456:example" },
  },
  body: Body,
  refusals: [404],
  response: { status: 200, schema: Channel },
  async handler(call) {
    const { services, caller, body, client } = call;
    const made = await create(services, caller, body, client);
    followChannel(call, made.channel);
    return describeChannel(made);
  },
});
