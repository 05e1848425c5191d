import { z } from "zod";
import type { Answer, MadeCall } from "../platform-server.ts";

/** A message that the account sent. */
export interface SignalMessage {
  timestamp: number;
  recipient: string;
  text: string;
  /** Undefined when the client leaves it to the bridge's setting. */
  textMode: string | undefined;
  quote: { timestamp: number; author: string } | undefined;
  attachments: { filename: string; mimeType: string; bytes: Buffer }[];
  /** Earlier texts, first to last. */
  edited: string[];
  isDeleted: boolean;
}

const message = z.object({
  number: z.string().default(""),
  recipients: z.array(z.string()).default([]),
  message: z.string().default(""),
  base64_attachments: z.array(z.string()).default([]),
  text_mode: z.enum(["normal", "styled"]).optional(),
  quote_timestamp: z.int().optional(),
  quote_author: z.string().optional(),
  quote_message: z.string().optional(),
  edit_timestamp: z.int().optional(),
});

const aimed = z.object({
  recipient: z.string().default(""),
  timestamp: z.int().default(0),
  reaction: z.string().default(""),
  target_author: z.string().default(""),
});

/** What an account sends through its bridge. */
export class Outgoing {
  readonly sent: SignalMessage[] = [];
  readonly typing: string[] = [];
  readonly reactions: { recipient: string; emoji: string; author: string; timestamp: number }[] = [];
  returnsObject = false;
  nextReason: string | undefined;
  readonly #number: string;
  #clock = 0;

  constructor(number: string) {
    this.#number = number;
  }

  /** What the bridge returns; undefined for paths that are none of these. */
  answer(call: MadeCall): Answer | undefined {
    const [, version = "", resource = "", last = ""] = call.path.split("/").map(decodeURIComponent);
    const route = `${call.method} /${version}/${resource}`;
    if (route === "POST /v2/send") return this.#send(jsonOf(call, message));
    const isAimed = [
      "PUT /v1/typing-indicator",
      "DELETE /v1/typing-indicator",
      "POST /v1/reactions",
      "DELETE /v1/remote-delete",
    ].includes(route);
    if (!isAimed) return undefined;
    const body = jsonOf(call, aimed);
    if (body === undefined) return refused("Couldn't process request - invalid request");
    if (last !== this.#number) return refused(`User ${last} is not registered.`);
    const wrong = wrongRecipient(body.recipient);
    return wrong === undefined ? this.#aim(route, body) : refused(wrong);
  }

  #aim(route: string, body: z.infer<typeof aimed>): Answer {
    const { recipient, timestamp, reaction: emoji, target_author: author } = body;
    if (route === "PUT /v1/typing-indicator") this.typing.push(recipient);
    if (route === "POST /v1/reactions") {
      if (emoji === "") return refused("Couldn't process request - reaction missing");
      if (author === "") return refused("Couldn't process request - target_author missing");
      if (timestamp === 0) return refused("Couldn't process request - timestamp missing");
      this.reactions.push({ recipient, emoji, author, timestamp });
    }
    if (route !== "DELETE /v1/remote-delete") return { status: 204 };
    // Signal deletes what is there, and says nothing of what is not.
    const found = this.sent.find((each) => each.timestamp === timestamp && each.recipient === recipient);
    if (found !== undefined) found.isDeleted = true;
    return { status: 201, json: { timestamp: String(this.#now()) } };
  }

  #send(body: z.infer<typeof message> | undefined): Answer {
    if (body === undefined) return refused("Couldn't process request - invalid request");
    const { recipients, edit_timestamp: edits, quote_timestamp: quoted } = body;
    const [recipient, ...others] = recipients;
    if (recipient === undefined) {
      return refused("Couldn't process request - please provide at least one recipient");
    }
    if (body.number === "") return refused("Couldn't process request - please provide a valid number");
    if (body.number !== this.#number) return refused(`User ${body.number} is not registered.`);
    if (others.length > 0) return refused("These tests send to one recipient at a time");
    const wrong = wrongRecipient(recipient);
    if (wrong !== undefined) return refused(wrong);
    if (quoted !== undefined && !body.quote_author) return refused("No quote author given");
    if (body.message === "" && body.base64_attachments.length === 0) {
      return refused("No message, attachments or sticker given");
    }
    const timestamp = this.#now();
    const reason = this.nextReason;
    this.nextReason = undefined;
    if (reason !== undefined) return this.#returned(timestamp, { recipients: [{ uuid: recipient, reason }] });
    if (edits !== undefined) {
      const found = this.sent.find((each) => each.timestamp === edits && each.recipient === recipient);
      if (found !== undefined) {
        found.edited.push(found.text);
        found.text = body.message;
      }
      return this.#returned(timestamp);
    }
    this.sent.push({
      timestamp,
      recipient,
      text: body.message,
      textMode: body.text_mode,
      quote: quoted === undefined ? undefined : { timestamp: quoted, author: body.quote_author ?? "" },
      attachments: body.base64_attachments.map(attachmentOf),
      edited: [],
      isDeleted: false,
    });
    return this.#returned(timestamp);
  }

  #returned(timestamp: number, errors?: object): Answer {
    const entry = { timestamp: String(timestamp), ...(errors && { errors }) };
    return { status: 201, json: this.returnsObject ? entry : [entry] };
  }

  #now(): number {
    this.#clock = Math.max(this.#clock + 1, Date.now());
    return this.#clock;
  }
}

function refused(error: string): Answer {
  return { status: 400, json: { error } };
}

function jsonOf<T>({ body }: MadeCall, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
}

/** Groups are named by `group.` and the base64 of their id, which is 32 bytes in base64 already. */
function wrongRecipient(recipient: string): string | undefined {
  if (!recipient.startsWith("group.")) return recipient === "" ? "Invalid recipient" : undefined;
  const once = Buffer.from(recipient.slice("group.".length), "base64").toString();
  const size = Buffer.from(once, "base64").length;
  return size === 32 ? undefined : `Invalid Signal group size (${size}`;
}

/** As the bridge reads it: what is before the last `base64,`, split at semicolons. */
function attachmentOf(data: string): SignalMessage["attachments"][number] {
  const end = data.lastIndexOf("base64,");
  const bytes = Buffer.from(data.slice(end + "base64,".length), "base64");
  const facts = data.slice(0, Math.max(0, end - 1)).split(";");
  const fact = (name: string) => facts.find((each) => each.startsWith(name))?.slice(name.length) ?? "";
  return { filename: fact("filename="), mimeType: fact("data:"), bytes };
}
