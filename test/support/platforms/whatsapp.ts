import { createHmac, randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import { type Answer, formOf, type MadeCall, PlatformServer } from "./platform-server.ts";

/** A person who uses WhatsApp: by phone number, by business-scoped id where they hide it, or by both. */
export interface WhatsappPerson {
  name: string;
  number: string | undefined;
  userId: string;
}

/** What a person writes: a text, or a press of a button. */
export type WhatsappWriting = { replyTo?: string } & (
  | { text: string }
  | { button: { id: string; title: string } }
);

/** A message of a webhook, with the contact that it comes with. */
export interface WhatsappInbound {
  id: string;
  message: Readonly<Record<string, unknown>>;
  contact: Readonly<Record<string, unknown>>;
}

/** What Meta tells in one request; a status is what became of a message that was sent. */
interface Told {
  messages?: readonly WhatsappInbound[];
  statuses?: readonly { id: string; status: string; error?: number }[];
}

/** A message as its person sees it. */
interface WhatsappMessage {
  id: string;
  /** A phone number or a business-scoped id. */
  to: string;
  text: string;
  /** The message that it replies to. */
  replyTo: string | undefined;
  buttons: { id: string; title: string }[];
  file: { kind: string; filename: string | undefined; mimeType: string; bytes: Buffer } | undefined;
}

const VERSION = "v26.0";
const DISPLAY_NUMBER = "15550783881";

const media = z.strictObject({ id: z.string(), filename: z.string().optional() });
const title = z.string().min(1).max(20);
const button = z.strictObject({
  type: z.literal("reply"),
  reply: z.strictObject({ id: z.string().min(1).max(256), title }),
});
/** Unknown fields are refused, as the API does. */
const outgoing = z
  .strictObject({
    messaging_product: z.literal("whatsapp"),
    recipient_type: z.literal("individual").optional(),
    to: z.string().min(1).optional(),
    recipient: z.string().min(1).optional(),
    context: z.strictObject({ message_id: z.string() }).optional(),
    type: z.enum(["text", "interactive", "reaction", "image", "audio", "video", "document"]),
    text: z.strictObject({ body: z.string().min(1), preview_url: z.boolean().optional() }).optional(),
    interactive: z
      .strictObject({
        type: z.literal("button"),
        body: z.strictObject({ text: z.string().min(1) }),
        action: z.strictObject({ buttons: z.array(button).min(1).max(3) }),
      })
      .optional(),
    reaction: z.strictObject({ message_id: z.string(), emoji: z.string() }).optional(),
    image: media.optional(),
    audio: media.optional(),
    video: media.optional(),
    document: media.optional(),
  })
  .refine((message) => message[message.type] !== undefined);
const typing = z.strictObject({
  messaging_product: z.literal("whatsapp"),
  status: z.literal("read"),
  message_id: z.string(),
  typing_indicator: z.strictObject({ type: z.literal("text") }),
});

/** An error as the Graph API returns it. */
function graphError(status: number, code: number, message: string): Answer {
  return { status, json: { error: { message, type: "OAuthException", code, fbtrace_id: "AXkNh-trace" } } };
}

/**
 * The Cloud API with one business number, as far as a bot needs it: messages, files, statuses and signed webhooks. Sources: Meta's
 * reference of the Cloud API as of June 2026, and its errors as clients report them.
 */
export class Whatsapp extends PlatformServer {
  /** Those of the number, as an owner enters them. */
  readonly credentials = {
    access_token: `EAAJB${randomBytes(30).toString("hex")}`,
    phone_number_id: "106540352242922",
    verify_token: randomBytes(12).toString("hex"),
    app_secret: randomBytes(16).toString("hex"),
  };
  readonly sent: WhatsappMessage[] = [];
  /** Messages that the API accepted, and that reach nobody: a business-scoped id does not belong in `to`. */
  readonly lost: WhatsappMessage[] = [];
  /** Inbound messages that were marked as read while the bot writes. */
  readonly typing: string[] = [];
  readonly #inbound = new Set<string>();
  readonly #media = new Map<string, { mimeType: string; bytes: Buffer; url: string | undefined }>();
  #people = 0;

  /** Its address, for `WHATSAPP_API_BASE_URL`. */
  get url(): string {
    return `${this.origin}/${VERSION}`;
  }

  newPerson(name: string, { number }: { number?: string } = {}): WhatsappPerson {
    this.#people += 1;
    return { name, number, userId: `US.1349120865530274191${this.#people}` };
  }

  /** A file that a person sends; `url` is returned for it instead of the API's own address. */
  attach(bytes: Uint8Array, { mimeType, url }: { mimeType: string; url?: string }): string {
    const id = String(randomInt(1e14, 2 ** 47));
    this.#media.set(id, { mimeType, bytes: Buffer.from(bytes), url });
    return id;
  }

  /** A message that a person writes, for `deliver`. */
  write({ name, number, userId }: WhatsappPerson, writing: WhatsappWriting): WhatsappInbound {
    const id = `wamid.${randomBytes(24).toString("base64")}`;
    this.#inbound.add(id);
    const message = {
      ...(number && { from: number }),
      from_user_id: userId,
      id,
      timestamp: String(Math.floor(Date.now() / 1000)),
      ...(writing.replyTo && { context: { from: DISPLAY_NUMBER, id: writing.replyTo } }),
      ...("text" in writing
        ? { type: "text", text: { body: writing.text } }
        : { type: "interactive", interactive: { type: "button_reply", button_reply: writing.button } }),
    };
    return { id, message, contact: { profile: { name }, ...(number && { wa_id: number }), user_id: userId } };
  }

  /** Calls a webhook as Meta does: signed, with all messages and statuses in one request. */
  deliver(webhook: string, told: Told): Promise<Response> {
    return fetch(webhook, { method: "POST", ...this.request(told) });
  }

  /** The same request, unsent. */
  request({ messages = [], statuses = [] }: Told): { body: string; headers: Record<string, string> } {
    const { phone_number_id, app_secret } = this.credentials;
    const value = {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: DISPLAY_NUMBER, phone_number_id },
      ...(messages.length > 0 && {
        contacts: messages.map(({ contact }) => contact),
        messages: messages.map(({ message }) => message),
      }),
      ...(statuses.length > 0 && {
        statuses: statuses.map(({ id, status, error }) => ({
          id,
          status,
          ...(error !== undefined && { errors: [{ code: error, title: "Message failed to send" }] }),
        })),
      }),
    };
    const entry = [{ id: "102290129340398", changes: [{ field: "messages", value }] }];
    // Meta escapes what is not ASCII, and slashes: whoever serializes the JSON again gets another signature.
    const body = JSON.stringify({ object: "whatsapp_business_account", entry })
      .replaceAll("/", String.raw`\/`)
      .replaceAll(
        /[\u0080-\uFFFF]/gu,
        (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
    const signature = createHmac("sha256", app_secret).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
    return { body, headers };
  }

  protected override busy(seconds: number): Answer {
    const refusal = graphError(429, 130_429, "(#130429) Rate limit hit");
    return { ...refusal, headers: { "retry-after": String(seconds) } };
  }

  protected override async answer(call: MadeCall): Promise<Answer> {
    const { access_token, phone_number_id } = this.credentials;
    if (call.headers["authorization"] !== `Bearer ${access_token}`) {
      return graphError(401, 190, "Invalid OAuth access token - Cannot parse access token");
    }
    if (call.path === "/attachments") {
      const { mimeType, bytes } = this.#media.get(call.query.get("mid") ?? "") ?? {};
      return bytes ? { headers: { "content-type": mimeType ?? "" }, bytes } : { status: 404 };
    }
    const [, version, id = "", resource = ""] = call.path.split("/");
    switch (`${call.method} ${version} ${id === phone_number_id ? "number" : "media"} ${resource}`.trim()) {
      case `GET ${VERSION} number`:
        return { json: { display_phone_number: DISPLAY_NUMBER, verified_name: "Bot Ltd", id } };
      case `POST ${VERSION} number media`:
        return this.#upload(call);
      case `POST ${VERSION} number messages`:
        return this.#take(JSON.parse(call.body.toString()));
      case `GET ${VERSION} media`:
        return this.#describe(id);
      default:
        return graphError(400, 100, `Unsupported ${call.method} request`);
    }
  }

  async #upload(call: MadeCall): Promise<Answer> {
    const form = await formOf(call);
    const file = form.get("file");
    if (form.get("messaging_product") !== "whatsapp" || !(file instanceof File)) {
      return graphError(400, 100, "(#100) A parameter is required.");
    }
    const bytes = Buffer.from(await file.arrayBuffer());
    return { json: { id: this.attach(bytes, { mimeType: file.type }) } };
  }

  /** Where a file is fetched, for five minutes. */
  #describe(id: string): Answer {
    const found = this.#media.get(id);
    if (!found) return graphError(400, 100, `Object with ID '${id}' does not exist`);
    const url = found.url ?? `${this.origin}/attachments?mid=${id}&ext=1770000000&hash=ATt`;
    return { json: { url, mime_type: found.mimeType, file_size: String(found.bytes.length), id } };
  }

  #take(body: unknown): Answer {
    const writes = typing.safeParse(body);
    if (writes.success && this.#inbound.has(writes.data.message_id)) {
      this.typing.push(writes.data.message_id);
      return { json: { success: true } };
    }
    const parsed = outgoing.safeParse(body);
    if (!parsed.success) return graphError(400, 100, z.prettifyError(parsed.error));
    const { to, recipient, context, type, text, interactive, ...files } = parsed.data;
    const person = to ?? recipient;
    if (person === undefined) return graphError(400, 100, "(#100) The parameter to is required.");
    const id = `wamid.${randomBytes(24).toString("base64")}`;
    const accepted = { json: { messaging_product: "whatsapp", messages: [{ id }] } };
    if (type === "reaction") return accepted;
    const shown = text?.body ?? interactive?.body.text ?? "";
    const buttons = interactive?.action.buttons.map(({ reply }) => reply) ?? [];
    const titles = new Set(buttons.map((each) => each.title));
    if (Array.from(shown).length > (interactive ? 1_024 : 4_096) || titles.size < buttons.length) {
      return graphError(400, 131_009, "(#131009) Parameter value is not valid");
    }
    const reference = files.image ?? files.audio ?? files.video ?? files.document;
    const stored = reference && this.#media.get(reference.id);
    if (reference && !stored) return graphError(400, 131_009, "(#131009) Media not found");
    const file = stored && { kind: type, filename: reference?.filename, ...stored };
    const isLost = to !== undefined && !/^\+?[\d -]+$/u.test(to);
    const message = { id, to: person, text: shown, replyTo: context?.message_id, buttons, file };
    (isLost ? this.lost : this.sent).push(message);
    return accepted;
  }
}

export function startWhatsapp(): Promise<Whatsapp> {
  return new Whatsapp().open();
}
