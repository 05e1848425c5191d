import { z } from "zod";
import * as channels from "#src/domain/messaging/channels/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ChannelParams, followChannel, pathsOf } from "./channel.ts";

export const deleteChannel = endpoint({
  operationId: "deleteChannel",
  method: "delete",
  ...pathsOf("/:channel"),
  summary: "Delete a messaging channel",
  description: "The channel takes and sends nothing any more. It stays in the list, with its messages.",
  tag: "Channels",
  access: { user: "any" },
  params: ChannelParams,
  refusals: [400],
  response: { status: 200, schema: z.object({ status: z.literal("deactivated"), config_id: z.uuid() }) },
  async handler(call) {
    const { services, caller, params, client } = call;
    const ended = await channels.deleteChannel(services, caller, params.channel, client);
    followChannel(call, ended);
    return { status: "deactivated" as const, config_id: ended.id };
  },
});
