import type { MediaReference, Place, ReceivedEvent, ReceivedMessage, Sender, Self } from "../channel.ts";
import {
  dateOf,
  forwardedText,
  mediaReference,
  otherContent,
  quotedText,
  receivedName,
  receivedText,
} from "../received.ts";
import { callbackQuery, chatMember, type Message, message, type Update } from "./wire.ts";

/**
 * Content that is not taken, by its field; the first one counts, because a venue has a location as well. All other
 * fields without text or a file are events of the chat, which nobody waits for an answer to. Source:
 * https://core.telegram.org/bots/api#message
 */
const NOT_TAKEN = {
  sticker: "sticker",
  venue: "venue",
  location: "location",
  contact: "contact",
  poll: "poll",
  dice: "dice",
  game: "game",
  story: "story",
  checklist: "checklist",
  paid_media: "paid media",
  live_photo: "live photo",
  rich_message: "rich message",
  giveaway: "giveaway",
};

type User = NonNullable<Message["from"]>;

/** An update as events: from a webhook, or one of those that `getUpdates` returns. */
export function parseUpdate(update: Update, self: Self): ReceivedEvent[] {
  const received = message.safeParse(update.message);
  if (received.success) return parseMessage(received.data, self);
  const pressed = callbackQuery.safeParse(update.callback_query);
  if (pressed.success) {
    const { id, from, message: carrier, data } = pressed.data;
    return [
      {
        kind: "click",
        id,
        place: placeOf(carrier),
        sender: senderOf(from),
        data,
        messageId: String(carrier.message_id),
        confirmation: id,
      },
    ];
  }
  const member = chatMember.safeParse(update.my_chat_member);
  if (member.success && isGone(member.data.new_chat_member)) {
    return [{ kind: "removal", id: `update:${update.update_id}`, place: placeOf(member.data) }];
  }
  return [];
}

/** A person who blocks the bot counts as a chat that kicked it. */
function isGone({ status, is_member }: { status: string; is_member?: boolean | undefined }): boolean {
  return status === "kicked" || status === "left" || (status === "restricted" && is_member === false);
}

/**
 * Anonymous administrators and channels have a `sender_chat`, and in `from` a bot that stands for all of them: they cannot
 * be told apart, so their messages are ignored.
 */
function parseMessage(received: Message, self: Self): ReceivedMessage[] {
  const { chat, from, sender_chat: senderChat } = received;
  if (from === undefined || senderChat !== undefined || from.is_bot === true) return [];
  if (String(from.id) === self.botId || chat.type === "channel") return [];
  const { text, isMention } = withoutMentions(received, self);
  const files = mediaOf(received);
  const media = text === "" && files.length === 0 ? otherContent(received, NOT_TAKEN) : files;
  if (text === "" && media.length === 0 && !isMention) return [];
  const place = placeOf(received);
  const repliedTo = received.reply_to_message;
  const isReply = repliedTo !== undefined && repliedTo.forum_topic_created === undefined;
  return [
    {
      kind: "message",
      id: `${chat.id}:${received.message_id}`,
      messageId: String(received.message_id),
      replyTarget: undefined,
      place,
      sender: senderOf(from),
      text: received.forward_origin === undefined ? text : forwardedText(text),
      isAddressed: place.chatType === "dm" || isMention || (isReply && isBot(repliedTo.from, self)),
      media,
      replyTo: isReply
        ? {
            id: String(repliedTo.message_id),
            text: quotedText(received.quote?.text ?? repliedTo.text ?? repliedTo.caption),
          }
        : undefined,
      sentAt: dateOf(received.date * 1000),
    },
  ];
}

/** Outside forums `message_thread_id` only names the message that is replied to, and nothing can be sent to it. */
function placeOf(at: {
  chat: Message["chat"];
  message_thread_id?: number | undefined;
  is_topic_message?: boolean | undefined;
}): Place {
  const isTopic = at.is_topic_message === true && at.message_thread_id !== undefined;
  return {
    chatId: String(at.chat.id),
    chatType: at.chat.type === "private" ? "dm" : "group",
    threadId: isTopic ? String(at.message_thread_id) : undefined,
  };
}

function senderOf(user: User): Sender {
  return {
    id: String(user.id),
    alternateId: undefined,
    name: receivedName(
      user.username,
      `${user.first_name ?? ""} ${user.last_name ?? ""}`.trim(),
      String(user.id),
    ),
  };
}

function isBot(user: User | undefined, { botId, botName }: Self): boolean {
  if (user === undefined) return false;
  if (botId !== undefined) return String(user.id) === botId;
  return botName !== undefined && user.username?.toLowerCase() === botName.toLowerCase();
}

/** The text without the bot's name: `@bot`, `/command@bot`, or the mention of a bot by its id. */
function withoutMentions(received: Message, self: Self): { text: string; isMention: boolean } {
  const original = received.text ?? received.caption ?? "";
  const entities = (received.text === undefined ? received.caption_entities : received.entities) ?? [];
  let text = original;
  // From the end, so that the offsets before stay true.
  for (const { type, offset, length, user } of entities.toSorted((a, b) => b.offset - a.offset)) {
    if (type !== "text_mention" || !isBot(user, self)) continue;
    text = text.slice(0, offset) + text.slice(offset + length);
  }
  if (self.botName !== undefined && self.botName !== "") {
    const name = self.botName.replaceAll(/\W/gu, String.raw`\$&`);
    text = text
      .replace(new RegExp(String.raw`^(\s*/\w+)@${name}(?!\w)`, "iu"), "$1")
      .replaceAll(new RegExp(String.raw`(?<![\w@/])@${name}(?!\w)`, "giu"), "");
  }
  return { text: receivedText(text), isMention: text !== original };
}

function mediaOf({ voice, audio, photo, document, video, video_note: videoNote }: Message): MediaReference[] {
  const largest = photo?.toSorted((a, b) => (a.file_size ?? 0) - (b.file_size ?? 0)).at(-1);
  return [
    { file: voice, kind: "voice" as const },
    { file: audio, kind: "voice" as const },
    { file: largest && { ...largest, mime_type: "image/jpeg" }, kind: "image" as const },
    { file: document, kind: undefined },
    { file: video, kind: "document" as const },
    { file: videoNote && { ...videoNote, mime_type: "video/mp4" }, kind: "document" as const },
  ].flatMap(({ file, kind }) =>
    file === undefined
      ? []
      : [
          mediaReference({
            reference: file.file_id,
            kind,
            mimeType: file.mime_type,
            filename: file.file_name,
            size: file.file_size,
          }),
        ],
  );
}
