import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Answer } from "../platform-server.ts";
import { badParameter, graphError } from "./errors.ts";
import type { Media } from "./media.ts";

/** A message as its person sees it. */
export interface WhatsappMessage {
  id: string;
  /** A phone number or a business-scoped id. */
  to: string;
  text: string;
  /** The message that it replies to. */
  replyTo: string | undefined;
  buttons: { id: string; title: string }[];
  file: { kind: string; filename: string | undefined; mimeType: string; bytes: Buffer } | undefined;
}

const reference = z.strictObject({ id: z.string() });
const title = z.string().min(1).max(20);

const base = {
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.enum(["individual", "group"]).optional(),
  to: z.string().optional(),
  recipient: z.string().optional(),
  context: z.strictObject({ message_id: z.string() }).optional(),
};

const reply = z.strictObject({
  type: z.literal("reply"),
  reply: z.strictObject({ id: z.string().min(1).max(256), title }),
});

/** Unknown fields are refused, as the API does. */
const outgoing = z.discriminatedUnion("type", [
  z.strictObject({
    ...base,
    type: z.literal("text"),
    text: z.strictObject({ body: z.string().min(1), preview_url: z.boolean().optional() }),
  }),
  z.strictObject({
    ...base,
    type: z.literal("interactive"),
    interactive: z.strictObject({
      type: z.literal("button"),
      body: z.strictObject({ text: z.string().min(1) }),
      action: z.strictObject({ buttons: z.array(reply).min(1).max(3) }),
    }),
  }),
  z.strictObject({
    ...base,
    type: z.literal("reaction"),
    reaction: z.strictObject({ message_id: z.string(), emoji: z.string() }),
  }),
  z.strictObject({ ...base, type: z.literal("image"), image: reference }),
  z.strictObject({ ...base, type: z.literal("audio"), audio: reference }),
  z.strictObject({ ...base, type: z.literal("video"), video: reference }),
  z.strictObject({
    ...base,
    type: z.literal("document"),
    document: reference.extend({ filename: z.string().optional() }),
  }),
]);
type Outgoing = z.infer<typeof outgoing>;

const read = z.strictObject({
  messaging_product: z.literal("whatsapp"),
  status: z.literal("read"),
  message_id: z.string(),
  typing_indicator: z.strictObject({ type: z.literal("text") }).optional(),
});

const MAX_TEXT = 4_096;
const MAX_TEXT_WITH_BUTTONS = 1_024;

/** What a business number sends. */
export class Messages {
  readonly sent: WhatsappMessage[] = [];
  /** Messages that the API accepted and lost: a business-scoped id does not belong in `to`. */
  readonly lost: WhatsappMessage[] = [];
  /** Inbound messages that were marked as read while the bot writes. */
  readonly typing: string[] = [];
  readonly reactions: { messageId: string; emoji: string; to: string }[] = [];
  /** Ids of what people sent. */
  readonly inbound = new Set<string>();
  readonly #media: Media;

  constructor(media: Media) {
    this.#media = media;
  }

  answer(body: unknown): Answer {
    const seen = read.safeParse(body);
    if (seen.success) return this.#read(seen.data);
    const parsed = outgoing.safeParse(body);
    if (!parsed.success) return badParameter(z.prettifyError(parsed.error));
    const { to, recipient } = parsed.data;
    const person = to ?? recipient;
    if (!person) return graphError(400, 100, "(#100) The parameter to is required.");
    return this.#send(parsed.data, person, to !== undefined && !/^\+?[\d -]+$/u.test(to));
  }

  #read({ message_id: id, typing_indicator: typing }: z.infer<typeof read>): Answer {
    if (!this.inbound.has(id)) return graphError(400, 131_009, "(#131009) Parameter value is not valid");
    if (typing !== undefined) this.typing.push(id);
    return { json: { success: true } };
  }

  #send(message: Outgoing, to: string, isLost: boolean): Answer {
    const text = textOf(message);
    const limit = message.type === "interactive" ? MAX_TEXT_WITH_BUTTONS : MAX_TEXT;
    if (Array.from(text).length > limit) return badParameter(`The text has more than ${limit} characters`);
    const id = `wamid.${randomBytes(24).toString("base64")}`;
    const accepted = {
      json: {
        messaging_product: "whatsapp",
        contacts: [{ input: to, ...(isLost ? {} : { wa_id: to }) }],
        messages: [{ id }],
      },
    };
    if (message.type === "reaction") {
      const { message_id: messageId, emoji } = message.reaction;
      this.reactions.push({ messageId, emoji, to });
      return accepted;
    }
    const file = this.#fileOf(message);
    if (file === null) return graphError(400, 131_009, "(#131009) Media not found");
    const buttons =
      message.type === "interactive" ? message.interactive.action.buttons.map((each) => each.reply) : [];
    if (new Set(buttons.map((each) => each.title)).size < buttons.length) {
      return graphError(400, 131_009, "(#131009) Duplicated titles of buttons");
    }
    const replyTo = message.context?.message_id;
    (isLost ? this.lost : this.sent).push({ id, to, text, replyTo, buttons, file });
    return accepted;
  }

  /** The file of a message; null when it is missing. */
  #fileOf(message: Outgoing): WhatsappMessage["file"] | null {
    const found = fileReference(message);
    if (found === undefined) return undefined;
    const media = this.#media.get(found.id);
    if (media === undefined) return null;
    return { kind: message.type, filename: found.filename, mimeType: media.mimeType, bytes: media.bytes };
  }
}

function textOf(message: Outgoing): string {
  if (message.type === "text") return message.text.body;
  return message.type === "interactive" ? message.interactive.body.text : "";
}

function fileReference(message: Outgoing): { id: string; filename?: string | undefined } | undefined {
  switch (message.type) {
    case "image":
      return message.image;
    case "audio":
      return message.audio;
    case "video":
      return message.video;
    case "document":
      return message.document;
    case "text":
    case "interactive":
    case "reaction":
      return undefined;
    default:
      return message satisfies never;
  }
}
