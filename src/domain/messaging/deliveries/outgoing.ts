import type { ChannelApi, Place } from "#src/channels/channel.ts";
import type { ChannelMessage } from "#src/domain/messaging/channels/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";

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
export function nonceOf({ id }: Pick<ChannelMessage, "id">, part: string): string {
  return sha256Hex(`${id}:${part}`).slice(0, 24);
}

/** Marks what has no room for the mark, by a message before it. */
export async function sendMark(api: ChannelApi, message: ChannelMessage): Promise<void> {
  await api.send({
    place: placeOf(message),
    text: { markup: MARK, plain: MARK },
    replyTo: undefined,
    replyTarget: undefined,
    buttons: [],
    isSilent: true,
    nonce: nonceOf(message, "mark"),
  });
}
