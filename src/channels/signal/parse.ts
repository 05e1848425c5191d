import type { MediaReference, Place, ReceivedMessage, Self } from "../channel.ts";
import { dateOf, mediaReference, otherContent, quotedText, receivedName, receivedText } from "../received.ts";
import { type DataMessage, receivedFrame } from "./wire.ts";

/**
 * Content that is not taken, by its field; changes of a group or a timer are no content. Source:
 * https://github.com/AsamK/signal-cli/blob/master/src/main/java/org/asamk/signal/json/JsonDataMessage.java
 */
const NOT_TAKEN = {
  sticker: "sticker",
  contacts: "contact",
  payment: "payment",
  pollCreate: "poll",
};

/**
 * One envelope of the bridge as a message; undefined for receipts, typing, reactions, edits and what the own account sent
 * from another device.
 */
export function parseEnvelope(frame: unknown, self: Self): ReceivedMessage | undefined {
  const read = receivedFrame.safeParse(frame);
  if (!read.success) return undefined;
  const { envelope, account } = read.data;
  const { dataMessage: data } = envelope;
  // A bridge may serve several numbers; what is for another one is another bot's.
  if (account && self.botId !== undefined && account !== self.botId) return undefined;
  const own = new Set([self.botId, account].filter(Boolean));
  const isOwn = (...ids: (string | null | undefined)[]) => ids.some((id) => Boolean(id) && own.has(id ?? ""));
  const { sourceUuid, sourceNumber, source } = envelope;
  const senderId = sourceUuid || sourceNumber || source;
  if (!senderId || isOwn(sourceUuid, sourceNumber, source)) return undefined;
  if (data.reaction || data.remoteDelete) return undefined;
  const mentions = data.mentions ?? [];
  const isMention = mentions.some(({ uuid, number }) => isOwn(uuid, number));
  const text = receivedText(withMentions(data, (uuid, number) => isOwn(uuid, number)));
  const media = [...mediaOf(data), ...otherContent(data, NOT_TAKEN)];
  if (text === "" && media.length === 0 && !isMention) return undefined;
  const place = placeOf(data, senderId);
  const { quote } = data;
  return {
    kind: "message",
    id: `${senderId}:${envelope.timestamp}`,
    messageId: String(envelope.timestamp),
    replyTarget: undefined,
    place,
    sender: {
      id: senderId,
      alternateId: sourceUuid && sourceNumber ? sourceNumber : undefined,
      name: receivedName(envelope.sourceName, sourceNumber, senderId),
    },
    text,
    isAddressed:
      place.chatType === "dm" || isMention || isOwn(quote?.authorUuid, quote?.authorNumber, quote?.author),
    media,
    replyTo: quote ? { id: String(quote.id), text: quotedText(quote.text) } : undefined,
    sentAt: dateOf(envelope.timestamp),
  };
}

/** Groups are sent to by `group.` and the base64 of their id, though the id is base64 already. */
function placeOf({ groupInfo }: DataMessage, senderId: string): Place {
  if (!groupInfo) return { chatId: senderId, chatType: "dm", threadId: undefined };
  const encoded = btoa(String.fromCodePoint(...new TextEncoder().encode(groupInfo.groupId)));
  return { chatId: `group.${encoded}`, chatType: "group", threadId: undefined };
}

/** The text with names where people are mentioned, and without the mention of the bot. */
function withMentions(
  { message, mentions }: DataMessage,
  isOwn: (uuid?: string | null, number?: string | null) => boolean,
): string {
  let text = message ?? "";
  // From the end, so that the offsets before stay true.
  for (const { uuid, number, name, start, length } of (mentions ?? []).toSorted(
    (a, b) => b.start - a.start,
  )) {
    if (start < 0 || length < 1) continue;
    const inserted = isOwn(uuid, number) ? "" : `@${receivedName(name, number, uuid)}`;
    text = text.slice(0, start) + inserted + text.slice(start + length);
  }
  return text;
}

function mediaOf({ attachments }: DataMessage): MediaReference[] {
  return (attachments ?? []).map(({ id, contentType, filename, size }) =>
    mediaReference({ reference: id, mimeType: contentType, filename, size }),
  );
}
