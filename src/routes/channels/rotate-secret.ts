import * as channels from "#src/domain/messaging/channels/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Channel, ChannelParams, describeChannel, followChannel, pathsOf } from "./channel.ts";

export const rotateSecret = endpoint({
  operationId: "rotateChannelSecret",
  method: "post",
  ...pathsOf("/:channel/rotate-secret"),
  summary: "Change a channel's webhook secret",
  description:
    "The earlier address is refused at once. Telegram is given the new one; at the other platforms it must be entered anew.",
  tag: "Channels",
  access: { user: "any" },
  params: ChannelParams,
  response: { status: 200, schema: Channel },
  async handler(call) {
    const { services, caller, params, client } = call;
    const rotated = await channels.rotateSecret(services, caller, params.channel, client);
    followChannel(call, rotated.channel);
    return describeChannel(rotated);
  },
});
