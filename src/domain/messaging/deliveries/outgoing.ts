import type { ChannelApi, Place } from "#src/channels/channel.ts";
import { plainText } from "#src/channels/plain-text.ts";
import type { ChannelMessage } from "#src/domain/messaging/channels/index.ts";

/** Says that the person may have the message already. */
export const MARK = "(This may be a repetition.)";

/** Where a message of the outbox goes. */
export function placeOf({
  jid,
  platformChatType,
  platformThreadId,
}: Pick<ChannelMessage, "jid" | "platformChatType" | "platformThreadId">): Place {
  return {
    chatId: jid.slice(jid.indexOf(":") + 1),
    chatType: platformChatType ?? "dm",
    threadId: platformThreadId ?? undefined,
  };
}

/** Identifies a part of a message over all attempts to send it. */
export function seedOf({ id }: Pick<ChannelMessage, "id">, part: string): string {
  return `${id}:${part}`;
}

/** Marks what has no room for the mark, by a message before it. */
export async function sendMark(api: ChannelApi, message: ChannelMessage): Promise<void> {
  const text = plainText(placeOf(message), { markup: MARK, plain: MARK }, seedOf(message, "mark"));
  await api.send({ ...text, isSilent: true });
}
