import { z } from "zod";
import * as channels from "#src/domain/messaging/channels/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Channel, describeChannel, pathsOf } from "./channel.ts";

export const listChannels = endpoint({
  operationId: "listChannels",
  method: "get",
  ...pathsOf(),
  summary: "List messaging channels",
  description: "The caller's channels, newest first, deleted ones included.",
  tag: "Channels",
  access: { user: "any" },
  response: { status: 200, schema: z.array(Channel) },
  handler: async ({ services, caller }) =>
    (await channels.listChannels(services, caller)).map(describeChannel),
});
