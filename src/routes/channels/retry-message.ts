import { retryMessage } from "#src/domain/messaging/deliveries/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { MessageParams, pathsOf } from "./channel.ts";
import { describeMessage, Message } from "./message.ts";

export const retryChannelMessage = endpoint({
  operationId: "retryChannelMessage",
  method: "post",
  ...pathsOf("/:channel/messages/:channel_message/retry"),
  summary: "Send a failed message again",
  description: "The message is sent soon; the channel's messages show what became of it.",
  tag: "Channels",
  access: { user: "any" },
  params: MessageParams,
  refusals: [400, 409],
  response: { status: 200, schema: Message },
  handler: async ({ services, caller, params }) =>
    describeMessage(await retryMessage(services, caller, params.channel, params.channel_message)),
});
