import { AppError } from "#src/lib/errors.ts";
import type { z } from "zod";
import type { Delivery, MediaReference, Place, ReceivedMessage, Self, Sender } from "../channel.ts";
import { dateOf, mediaReference, otherContent, quotedText, receivedName, receivedText } from "../received.ts";
import { type Attachment, command, component, interaction, message, type Option } from "./wire.ts";

/** Types of interactions. */
const PING = 1;
const COMMAND = 2;
const COMPONENT = 3;
const AUTOCOMPLETE = 4;

/** Types of replies. With the deferred ones Discord waits 15 minutes for what is to come. */
const PONG = { type: 1 };
const MESSAGE_FOLLOWS = { type: 5 };
const UPDATE_FOLLOWS = { type: 6 };
const NO_CHOICES = { type: 8, data: { choices: [] } };

const ATTACHMENT_OPTION = 11;
/** An interaction in a chat of others, that the bot is no member of. */
const CHAT_OF_OTHERS = 2;

/** Types of messages that people write; others tell of joins, pins and the like. */
const WRITTEN: ReadonlySet<number> = new Set([0, 19]);
const IS_VOICE_MESSAGE = 1 << 13;

/** Content that is not taken, by its field. Source: https://discord.com/developers/docs/resources/message */
const NOT_TAKEN = {
  sticker_items: "sticker",
  poll: "poll",
  message_snapshots: "forwarded message",
  activity: "invitation",
};

/**
 * An interaction, from a webhook or from the gateway's INTERACTION_CREATE. Throws `invalid_input` for anything else, and
 * `unauthenticated` for one of another application.
 */
export function parseInteraction(received: unknown, self: Self): Delivery {
  const { type, application_id: applicationId } = read(interaction, received);
  if (self.appId !== undefined && applicationId !== undefined && applicationId !== self.appId) {
    throw new AppError("unauthenticated", "This is of another application");
  }
  switch (type) {
    case PING: {
      return { reply: { json: PONG }, events: [] };
    }
    case COMMAND: {
      return { reply: { json: MESSAGE_FOLLOWS }, events: [parseCommand(read(command, received))] };
    }
    case COMPONENT: {
      const pressed = read(component, received);
      return {
        reply: { json: UPDATE_FOLLOWS },
        events: [
          {
            kind: "click",
            id: pressed.id,
            place: placeOf(pressed),
            sender: senderOf(pressed.user ?? pressed.member?.user, pressed.member),
            data: pressed.data.custom_id,
            messageId: pressed.message.id,
            confirmation: pressed.token,
          },
        ],
      };
    }
    case AUTOCOMPLETE: {
      return { reply: { json: NO_CHOICES }, events: [] };
    }
    default: {
      return { reply: { json: UPDATE_FOLLOWS }, events: [] };
    }
  }
}

function read<T>(schema: z.ZodType<T>, received: unknown): T {
  const parsed = schema.safeParse(received);
  if (!parsed.success) throw new AppError("invalid_input", "Not an interaction of Discord's");
  return parsed.data;
}

function parseCommand(received: z.infer<typeof command>): ReceivedMessage {
  const { name, options = [], resolved } = received.data;
  const values = options.flatMap(innermost);
  const words = values.filter(({ type }) => type !== ATTACHMENT_OPTION).map(({ value }) => String(value));
  const attachments = values
    .filter(({ type }) => type === ATTACHMENT_OPTION)
    .flatMap(({ value }) => resolved?.attachments?.[String(value)] ?? []);
  return {
    kind: "message",
    id: received.id,
    messageId: undefined,
    replyTarget: received.token,
    place: placeOf(received),
    sender: senderOf(received.user ?? received.member?.user, received.member),
    text: receivedText(words.join(" ")) || `/${receivedName(name)}`,
    isAddressed: true,
    media: attachments.map((file) => fileOf(file)),
    replyTo: undefined,
    sentAt: undefined,
  };
}

type Value = Pick<Option, "type" | "value">;

/** The options that have a value: those of a subcommand are inside it. */
function innermost(option: Option): Value[] {
  const inner = option.options?.flatMap((one) => one.options ?? [one]) ?? [option];
  return inner.filter(({ value }) => value !== undefined);
}

/** A message of the gateway's MESSAGE_CREATE; undefined for those that no person wrote to the bot or the chat. */
export function parseGatewayMessage(data: unknown, self: Self): ReceivedMessage | undefined {
  const parsed = message.safeParse(data);
  if (!parsed.success) return undefined;
  const received = parsed.data;
  const { author, content, mentions, attachments, referenced_message: repliedTo } = received;
  if (author.bot === true || author.id === self.botId || received.webhook_id) return undefined;
  if (!WRITTEN.has(received.type)) return undefined;
  const isBot = (id: string | undefined) => id !== undefined && id === self.botId;
  const isMention = mentions.some(({ id }) => isBot(id));
  const names = new Map(mentions.map((user) => [user.id, nameOf(user)]));
  const text = receivedText(
    content.replaceAll(/<@!?(\d+)>/gu, (mention, id: string) => {
      if (isBot(id)) return "";
      const name = names.get(id);
      return name === undefined ? mention : `@${name}`;
    }),
  );
  const kind = ((received.flags ?? 0) & IS_VOICE_MESSAGE) === 0 ? undefined : "voice";
  const media = [...attachments.map((file) => fileOf(file, kind)), ...otherContent(received, NOT_TAKEN)];
  if (text === "" && media.length === 0 && !isMention) return undefined;
  const place = placeOf(received);
  return {
    kind: "message",
    id: received.id,
    messageId: received.id,
    replyTarget: undefined,
    place,
    sender: senderOf(author, received.member),
    text,
    isAddressed: place.chatType === "dm" || isMention || isBot(repliedTo?.author?.id),
    media,
    replyTo: repliedTo ? { id: repliedTo.id, text: quotedText(repliedTo.content) } : undefined,
    sentAt: received.timestamp === undefined ? undefined : dateOf(Date.parse(received.timestamp)),
  };
}

/** A thread is a channel of its own, and what is sent to it goes there: `threadId` stays undefined. */
function placeOf(at: {
  channel_id: string;
  guild_id?: string | null | undefined;
  context?: number | null | undefined;
}): Place {
  const isGroup = Boolean(at.guild_id) || at.context === CHAT_OF_OTHERS;
  return { chatId: at.channel_id, chatType: isGroup ? "group" : "dm", threadId: undefined };
}

type User = z.infer<typeof message>["author"];

function senderOf(user: User | undefined, member: { nick?: string | null | undefined } | undefined): Sender {
  if (user === undefined) throw new AppError("invalid_input", "Discord names no user");
  return { id: user.id, alternateId: undefined, name: receivedName(member?.nick, nameOf(user)) };
}

function nameOf(user: User): string {
  return receivedName(user.global_name, user.username, user.id);
}

function fileOf(file: Attachment, kind?: "voice"): MediaReference {
  return mediaReference({
    kind,
    reference: file.url,
    mimeType: file.content_type,
    filename: file.filename,
    size: file.size,
  });
}
