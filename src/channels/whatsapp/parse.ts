import type {
  MediaReference,
  OtherContent,
  ReceivedClick,
  ReceivedEvent,
  ReceivedMessage,
  ReceivedStatus,
  Self,
  Sender,
} from "../channel.ts";
import type { z } from "zod";
import { dateOf, forwardedText, mediaReference, receivedName, receivedText } from "../received.ts";
import { whatsappFailure } from "./failures.ts";
import {
  type Contact,
  type delivery,
  type Message,
  message,
  type Status,
  status,
  type Value,
  value,
} from "./wire.ts";

/** Meta sends for seven days what it could not deliver; a reply to an old message helps no one. */
const MAX_AGE_MS = 3_600_000;

/** Statuses that say whether the message arrived; `sent` only says that WhatsApp has it. */
const OUTCOMES: ReadonlyMap<string, ReceivedStatus["status"]> = new Map([
  ["delivered", "delivered"],
  ["read", "delivered"],
  ["played", "delivered"],
  ["failed", "failed"],
]);

/**
 * Types of messages that are not taken. Source:
 * https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components
 */
const NOT_TAKEN: ReadonlyMap<string, string> = new Map([
  ["sticker", "sticker"],
  ["location", "location"],
  ["contacts", "contact"],
  ["order", "order"],
  ["interactive", "form"],
  // Polls, events, view-once pictures and what is new: WhatsApp does not tell which.
  ["unsupported", "message"],
  ["unknown", "message"],
]);

/** All messages and statuses of all changes of all entries: one delivery holds many. */
export function parseDelivery(
  { entry }: z.infer<typeof delivery>,
  self: Self,
  { now, maxAgeMs = MAX_AGE_MS }: { now: number; maxAgeMs?: number },
): ReceivedEvent[] {
  const changes = entry.flatMap((one) => one.changes ?? []);
  return changes.flatMap((change) => {
    // Other fields tell of templates and accounts, and of what the business wrote with its own app.
    const read = value.safeParse(change.value);
    if (change.field !== "messages" || !read.success) return [];
    return parseValue(read.data, self, now - maxAgeMs);
  });
}

function parseValue(read: Value, self: Self, oldest: number): ReceivedEvent[] {
  const { phone_number_id: numberId, display_phone_number: ownNumber } = read.metadata;
  // One webhook serves all numbers of an app. What names none cannot be told to be of this one.
  if (self.botId !== undefined && numberId !== self.botId) return [];
  const own = digits(ownNumber);
  const contacts = contactsOf(read.contacts ?? []);
  const messages = (read.messages ?? []).flatMap((one) => {
    const parsed = message.safeParse(one);
    if (!parsed.success || parsed.data.group_id) return [];
    const sentAt = dateOf(Number(parsed.data.timestamp ?? Number.NaN) * 1000);
    if (sentAt !== undefined && sentAt.getTime() < oldest) return [];
    const sender = senderOf(parsed.data, contacts);
    if (sender === undefined || (own !== "" && digits(sender.id) === own)) return [];
    return parseMessage(parsed.data, sender, sentAt) ?? [];
  });
  const statuses = (read.statuses ?? []).flatMap((one) => {
    const parsed = status.safeParse(one);
    return parsed.success ? (parseStatus(parsed.data) ?? []) : [];
  });
  return [...messages, ...statuses];
}

function parseMessage(
  received: Message,
  sender: Sender,
  sentAt: Date | undefined,
): ReceivedMessage | ReceivedClick | undefined {
  const place = { chatId: sender.id, chatType: "dm", threadId: undefined } as const;
  const { id: repliedTo, forwarded, frequently_forwarded: isOften } = received.context ?? {};
  const choice = received.interactive?.button_reply ?? received.interactive?.list_reply;
  if (choice !== undefined && repliedTo) {
    return {
      kind: "click",
      id: received.id,
      place,
      sender,
      data: choice.id,
      messageId: repliedTo,
      confirmation: undefined,
    };
  }
  const files = mediaOf(received);
  const { text: written, button, image, video, document } = received;
  const caption = image?.caption ?? video?.caption ?? document?.caption;
  const text = receivedText(written?.body ?? button?.text ?? choice?.title ?? caption);
  const media = text === "" && files.length === 0 ? notTaken(received) : files;
  if (text === "" && media.length === 0) return undefined;
  return {
    kind: "message",
    id: received.id,
    messageId: received.id,
    replyTarget: undefined,
    place,
    sender,
    text: forwarded === true || isOften === true ? forwardedText(text) : text,
    isAddressed: true,
    media,
    // WhatsApp does not tell the text of the other message.
    replyTo: repliedTo ? { id: repliedTo, text: "" } : undefined,
    sentAt,
  };
}

/** The contacts of a delivery by phone number and by business-scoped user id: one delivery may hold thousands. */
interface Contacts {
  byId: ReadonlyMap<string, Contact>;
  only: Contact | undefined;
}

function contactsOf(contacts: readonly Contact[]): Contacts {
  const byId = new Map<string, Contact>();
  // The first one of an id counts.
  for (const contact of contacts.toReversed()) {
    if (contact.wa_id) byId.set(contact.wa_id, contact);
    if (contact.user_id) byId.set(contact.user_id, contact);
  }
  return { byId, only: contacts.length === 1 ? contacts[0] : undefined };
}

/** The phone number where WhatsApp tells it, or else the business-scoped user id, which has two letters and a dot. */
function senderOf({ from, from_user_id: fromUserId }: Message, { byId, only }: Contacts): Sender | undefined {
  const isAnonymous = !from && !fromUserId;
  const contact = isAnonymous ? only : (byId.get(from || "") ?? byId.get(fromUserId || ""));
  const phone = from || contact?.wa_id;
  const userId = fromUserId || contact?.user_id;
  const id = phone || userId;
  if (!id) return undefined;
  const alternateId = phone && userId ? userId : undefined;
  return { id, alternateId, name: receivedName(contact?.profile?.name, contact?.profile?.username, id) };
}

function digits(number: string | undefined): string {
  return number?.replaceAll(/\D/gu, "") ?? "";
}

function mediaOf({ image, audio, video, document }: Message): MediaReference[] {
  return [
    { file: image, kind: "image" as const },
    { file: audio, kind: "voice" as const },
    { file: video, kind: "document" as const },
    { file: document, kind: undefined },
  ].flatMap(({ file, kind }) =>
    file === undefined
      ? []
      : [mediaReference({ kind, reference: file.id, mimeType: file.mime_type, filename: file.filename })],
  );
}

function notTaken({ type }: Message): OtherContent[] {
  const name = NOT_TAKEN.get(type);
  return name === undefined ? [] : [{ kind: "other", name }];
}

function parseStatus({ id, status: name, errors }: Status): ReceivedStatus | undefined {
  const outcome = OUTCOMES.get(name);
  if (outcome === undefined) return undefined;
  const [error] = errors ?? [];
  const told = error?.error_data?.details ?? error?.message ?? error?.title;
  const sentence =
    error === undefined ? "WhatsApp could not deliver the message" : whatsappFailure(error.code, told);
  return {
    kind: "status",
    messageId: id,
    status: outcome,
    error: outcome === "failed" ? sentence : undefined,
  };
}
