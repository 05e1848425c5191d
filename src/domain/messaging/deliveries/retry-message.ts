import { requireChannel, requireLive, type ChannelMessage } from "#src/domain/messaging/channels/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isGuid } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { publishAhead } from "#src/work/ahead.ts";
import { messageOf } from "#src/work/job.ts";
import { messageDue } from "./message-due.ts";
import { outboundMessage, reviveMessage } from "./queries/outbox.ts";

/**
 * Sends a failed message again, by the queue. Returns it, pending. Throws `invalid_input` for a channel that does not work,
 * `conflict` for a message that has not failed, `unavailable` when the queue does not answer, and `not_found`, also for another
 * person's channel.
 */
export async function retryMessage(
  deps: { db: Db; queue: Queue },
  caller: UserCaller,
  channelId: string,
  messageId: string,
): Promise<ChannelMessage> {
  const channel = await requireChannel(deps, caller, channelId);
  const message = isGuid(messageId) ? await outboundMessage(deps.db, channel.id, messageId) : undefined;
  if (!message) throw new AppError("not_found", "Message not found");
  requireLive(channel);
  if (message.status !== "failed") throw notFailed(message.status);
  const job = { name: messageDue.name, key: message.id };
  const occasion = `retried-${Date.now()}`;
  const sending = messageOf(job, { occasion, share: channel.userId });
  const revived = await publishAhead(deps.queue, sending, () => reviveMessage(deps.db, message.id));
  // Another request was first.
  if (!revived) throw notFailed("pending");
  return revived;
}

function notFailed(status: ChannelMessage["status"]): AppError {
  return new AppError("conflict", `Only a failed message is sent again: this one is ${status}`);
}
