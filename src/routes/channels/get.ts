import { requireChannel, showChannel } from "#src/domain/messaging/channels/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Channel, ChannelParams, describeChannel, pathsOf } from "./channel.ts";

export const getChannel = endpoint({
  operationId: "getChannel",
  method: "get",
  ...pathsOf("/:channel"),
  summary: "Get a messaging channel",
  tag: "Channels",
  access: { user: "any" },
  params: ChannelParams,
  response: { status: 200, schema: Channel },
  async handler({ services, caller, params }) {
    const channel = await requireChannel(services, caller, params.channel);
    return describeChannel(await showChannel(services, channel));
  },
});
