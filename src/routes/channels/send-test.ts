import { z } from "zod";
import { sendTest } from "#src/domain/messaging/channels/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { ChannelParams, pathsOf } from "./channel.ts";

export const testChannel = endpoint({
  operationId: "sendChannelTestMessage",
  method: "post",
  ...pathsOf("/:channel/test"),
  summary: "Send a test message",
  tag: "Channels",
  access: { user: "any" },
  params: ChannelParams,
  example: { jid: "self" },
  body: z.object({
    jid: text({ min: 1, max: 255, trim: true }).describe(
      "`self` for the caller's own linked account, or `<platform>:<chat id>`",
    ),
  }),
  refusals: [502],
  response: {
    status: 200,
    schema: z.object({
      status: z.literal("sent"),
      platform_message_id: z.string().nullable(),
      detail: z.object({ success: z.literal(true), jid: z.string(), message_id: z.string().nullable() }),
    }),
  },
  async handler({ services, caller, params, body }) {
    const { jid, messageId = null } = await sendTest(services, caller, params.channel, body.jid);
    return {
      status: "sent" as const,
      platform_message_id: messageId,
      detail: { success: true as const, jid, message_id: messageId },
    };
  },
});
