import { z } from "zod";
import { listChannelMessages } from "#src/domain/messaging/channels/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ChannelParams, pathsOf } from "./channel.ts";
import { describeMessage, Message } from "./message.ts";

const MOST = 200;

export const listMessages = endpoint({
  operationId: "listChannelMessages",
  method: "get",
  ...pathsOf("/:channel/messages"),
  summary: "List a channel's messages",
  description: "In both directions, newest first.",
  tag: "Channels",
  access: { user: "any" },
  params: ChannelParams,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(MOST).default(50),
    offset: z.coerce.number().int().min(0).default(0),
  }),
  response: { status: 200, schema: z.array(Message) },
  handler: async ({ services, caller, params, query }) =>
    (await listChannelMessages(services, caller, params.channel, query)).map(describeMessage),
});
