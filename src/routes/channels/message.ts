import { z } from "zod";
import type { ChannelMessage } from "#src/domain/messaging/channels/index.ts";
import { Moment } from "#src/http/schemas.ts";

/** A message of a channel as its owner sees it. */
export const Message = z
  .object({
    id: z.uuid(),
    channel_config_id: z.uuid(),
    direction: z.enum(["inbound", "outbound"]),
    kind: z.enum(["message", "approval_card", "artifact"]),
    jid: z.string().describe("`<platform>:<chat id>`"),
    sender_name: z.string().nullable(),
    content: z.string(),
    platform_message_id: z.string().nullable().describe("Null until the platform has taken it"),
    task_id: z.uuid().nullable(),
    status: z.enum(["pending", "delivered", "failed"]),
    error: z.string().nullable().describe("Why it failed"),
    created_at: Moment,
  })
  .meta({ id: "ChannelMessage" });

export const describeMessage = (message: ChannelMessage): z.input<typeof Message> => ({
  id: message.id,
  channel_config_id: message.channelConfigId,
  direction: message.direction,
  kind: message.kind,
  jid: message.jid,
  sender_name: message.senderName,
  content: message.content,
  platform_message_id: message.platformMessageId,
  task_id: message.taskId,
  status: message.status,
  error: message.error,
  created_at: message.createdAt.toISOString(),
});
