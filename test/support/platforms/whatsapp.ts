import { createHmac, randomBytes } from "node:crypto";
import { type Answer, type MadeCall, type PlatformServer, servePlatform } from "./platform-server.ts";
import { graphError } from "./whatsapp/errors.ts";
import { Media } from "./whatsapp/media.ts";
import { Messages, type WhatsappMessage } from "./whatsapp/messages.ts";

export type { WhatsappMessage } from "./whatsapp/messages.ts";

/** A person who uses WhatsApp: by phone number, by business-scoped id where they hide it, or by both. */
export interface WhatsappPerson {
  name: string;
  number: string | undefined;
  userId: string;
}

/** What a person writes: a text, a press of a button, or a file by the id of `attach`. */
export type WhatsappWriting = { replyTo?: string; at?: Date } & (
  | { text: string }
  | { button: { id: string; title: string } }
  | { file: { kind: "image" | "audio" | "video" | "document"; id: string; caption?: string } }
);

/** A message of a webhook, with the contact that it comes with. */
export interface WhatsappInbound {
  id: string;
  message: Readonly<Record<string, unknown>>;
  contact: Readonly<Record<string, unknown>>;
}

/** What became of a message that was sent. */
export interface WhatsappStatus {
  id: string;
  status: "sent" | "delivered" | "read" | "failed";
  /** Code of the error, for one that failed. */
  error?: number;
}

/** The Cloud API with one business number. */
export interface Whatsapp extends PlatformServer {
  /** Its address, for `WHATSAPP_API_BASE_URL`. */
  url: string;
  /** Those of the number, as an owner enters them. */
  credentials: { access_token: string; phone_number_id: string; verify_token: string; app_secret: string };
  readonly sent: readonly WhatsappMessage[];
  /** Messages that the API accepted, and that reach nobody. */
  readonly lost: readonly WhatsappMessage[];
  readonly typing: readonly string[];
  readonly reactions: readonly { messageId: string; emoji: string; to: string }[];
  newPerson(name: string, person?: { number?: string }): WhatsappPerson;
  /** A file that a person sends; `url` is returned for it instead of the API's own address. */
  attach(bytes: Uint8Array, file: { mimeType: string; url?: string }): string;
  /** A message that a person writes, for `deliver`. */
  write(from: WhatsappPerson, writing: WhatsappWriting): WhatsappInbound;
  /** Calls a webhook as Meta does: signed, with all messages and statuses in one request. Returns the status of the answer. */
  deliver(
    webhook: string,
    events: { messages?: readonly WhatsappInbound[]; statuses?: readonly WhatsappStatus[] },
  ): Promise<Response>;
  /** The same request, unsent. */
  request(events: { messages?: readonly WhatsappInbound[]; statuses?: readonly WhatsappStatus[] }): {
    body: string;
    headers: Record<string, string>;
  };
}

const VERSION = "v26.0";
const DISPLAY_NUMBER = "+1 555-078-3881";
const BUSINESS_ACCOUNT = "102290129340398";

/**
 * The Cloud API, as far as a bot needs it: messages, files, statuses and signed webhooks. Sources: Meta's reference of the Cloud
 * API as of June 2026, and its errors as clients report them.
 */
export async function startWhatsapp(): Promise<Whatsapp> {
  const media = new Media();
  const messages = new Messages(media);
  const credentials = {
    access_token: `EAAJB${randomBytes(30).toString("hex")}`,
    phone_number_id: "106540352242922",
    verify_token: randomBytes(12).toString("hex"),
    app_secret: randomBytes(16).toString("hex"),
  };
  let people = 0;

  function answer(call: MadeCall): Answer | Promise<Answer> {
    if (call.headers["authorization"] !== `Bearer ${credentials.access_token}`) {
      return graphError(401, 190, "Invalid OAuth access token - Cannot parse access token");
    }
    if (call.path === "/whatsapp_business/attachments/") return media.download(call);
    const [, version, id = "", resource] = call.path.split("/");
    if (version !== VERSION) return graphError(400, 2635, "(#2635) You are calling a deprecated version");
    const route = `${call.method} ${resource ?? ""}`.trim();
    if (id === credentials.phone_number_id) {
      if (route === "GET") {
        return { json: { display_phone_number: DISPLAY_NUMBER, verified_name: "Bot Ltd", id } };
      }
      if (route === "POST media") return media.upload(call);
      if (route === "POST messages") return messages.answer(jsonOf(call));
    }
    const found = route === "GET" ? media.describe(id, server.origin) : undefined;
    if (found !== undefined) return found;
    const sentence = `Unsupported ${call.method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`;
    return graphError(400, 100, sentence, { type: "GraphMethodException" });
  }

  const server = await servePlatform({
    answer,
    busy: (seconds) => ({
      ...graphError(429, 130_429, "(#130429) Rate limit hit"),
      headers: { "retry-after": String(seconds) },
    }),
    onUpgrade: (_request, socket) => void socket.destroy(),
  });

  function request({
    messages: inbound = [],
    statuses = [],
  }: Parameters<Whatsapp["request"]>[0]): ReturnType<Whatsapp["request"]> {
    const metadata = {
      display_phone_number: DISPLAY_NUMBER.replaceAll(/\D/gu, ""),
      phone_number_id: credentials.phone_number_id,
    };
    const value = {
      messaging_product: "whatsapp",
      metadata,
      ...(inbound.length > 0 && {
        contacts: inbound.map(({ contact }) => contact),
        messages: inbound.map(({ message }) => message),
      }),
      ...(statuses.length > 0 && { statuses: statuses.map(statusOf) }),
    };
    const entry = [{ id: BUSINESS_ACCOUNT, changes: [{ field: "messages", value }] }];
    // Meta escapes what is not ASCII, and slashes: whoever serializes the JSON again gets another signature.
    const body = JSON.stringify({ object: "whatsapp_business_account", entry })
      .replaceAll("/", String.raw`\/`)
      .replaceAll(
        /[\u0080-\uFFFF]/gu,
        (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
    const signature = createHmac("sha256", credentials.app_secret).update(body).digest("hex");
    return {
      body,
      headers: { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` },
    };
  }

  return {
    ...server,
    url: `${server.origin}/${VERSION}`,
    credentials,
    sent: messages.sent,
    lost: messages.lost,
    typing: messages.typing,
    reactions: messages.reactions,
    newPerson(name, { number } = {}) {
      people += 1;
      return { name, number, userId: `US.1349120865530274191${people}` };
    },
    attach: (bytes, { mimeType, url }) =>
      media.put({ mimeType, bytes: Buffer.from(bytes), filename: "", url }),
    write(from, writing) {
      const inbound = inboundOf(from, writing, media);
      messages.inbound.add(inbound.id);
      return inbound;
    },
    request,
    deliver: (webhook, events) => fetch(webhook, { method: "POST", ...request(events) }),
  };
}

function jsonOf({ body }: MadeCall): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function inboundOf(
  { name, number, userId }: WhatsappPerson,
  writing: WhatsappWriting,
  media: Media,
): WhatsappInbound {
  const id = `wamid.${randomBytes(24).toString("base64")}`;
  const sender = { ...(number && { from: number }), from_user_id: userId };
  const timestamp = String(Math.floor((writing.at ?? new Date()).getTime() / 1000));
  const context = writing.replyTo && { context: { from: DISPLAY_NUMBER, id: writing.replyTo } };
  const contact = { profile: { name }, ...(number && { wa_id: number }), user_id: userId };
  return { id, contact, message: { ...sender, id, timestamp, ...context, ...contentOf(writing, media) } };
}

function contentOf(writing: WhatsappWriting, media: Media): object {
  if ("text" in writing) return { type: "text", text: { body: writing.text } };
  if ("button" in writing) {
    const { id, title } = writing.button;
    return { type: "interactive", interactive: { type: "button_reply", button_reply: { id, title } } };
  }
  const { kind, id, caption } = writing.file;
  const file = { id, mime_type: media.get(id)?.mimeType, ...(caption && { caption }) };
  return { type: kind, [kind]: kind === "audio" ? { ...file, voice: true } : file };
}

function statusOf({ id, status, error }: WhatsappStatus): object {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const errors = [{ code: error, title: "Message failed to send", error_data: { details: "Not delivered" } }];
  return { id, status, timestamp, recipient_id: "16505551234", ...(error !== undefined && { errors }) };
}
