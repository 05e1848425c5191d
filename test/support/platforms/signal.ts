import { randomBytes, randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { type Answer, type MadeCall, PlatformServer, type SentFile } from "./platform-server.ts";

/** A person who uses Signal. */
export interface SignalPerson {
  uuid: string;
  /** Null for people who hide it. */
  number: string | null;
  name: string;
}

/** What a person writes. */
export interface SignalWriting {
  text: string;
  /** As signal-cli names groups: 32 bytes in base64. */
  groupId?: string;
  /** Of a person whom the text mentions with its first character. */
  mentioned?: SignalPerson;
}

/** A message that the account sent, as the person sees it now. */
interface SignalMessage {
  timestamp: number;
  recipient: string;
  text: string;
  /** Undefined when the client leaves it to the bridge's setting. */
  textMode: string | undefined;
  quote: { timestamp: number; author: string } | undefined;
  attachments: SentFile[];
}

const outgoing = z.object({
  number: z.string().min(1),
  recipients: z.array(z.string()).length(1),
  message: z.string().default(""),
  base64_attachments: z.array(z.string()).default([]),
  text_mode: z.enum(["normal", "styled"]).optional(),
  quote_timestamp: z.int().optional(),
  quote_author: z.string().optional(),
  edit_timestamp: z.int().optional(),
});

/** What is aimed at a person or at one of their messages. */
const aimed = z.object({
  recipient: z.string(),
  timestamp: z.int().optional(),
  reaction: z.string().min(1).optional(),
  target_author: z.string().min(1).optional(),
});

const refused = (error: string): Answer => ({ status: 400, json: { error } });

/**
 * A bridge to Signal with one account, as signal-cli-rest-api speaks it in the mode json-rpc. Sources:
 * https://github.com/bbernhard/signal-cli-rest-api, src/api/api.go and src/client, and https://github.com/AsamK/signal-cli,
 * src/main/java/org/asamk/signal/json, of August 2026.
 */
export class SignalBridge extends PlatformServer {
  readonly account = { uuid: randomUUID() as string, number: "+4915100000000", name: "Bot" };
  readonly sent: SignalMessage[] = [];
  /** Files that the bridge keeps, by their ids. */
  readonly attachments = new Map<string, Buffer>();
  /** As the bridge returned it until July 2026: an object, no list. */
  returnsObject = false;
  readonly #sockets = new Set<WebSocket>();
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #signals = new EventEmitter();
  #nextReason: string | undefined;
  #clock = 0;

  /** Its address, as an owner enters it. */
  get url(): string {
    return this.origin;
  }

  /** The bridge returns 201 to the next message and says that the person did not get it. */
  loseNext(reason: string): void {
    this.#nextReason = reason;
  }

  /** A new person; without a number for one who hides it. */
  newPerson(name: string, number: string | null = null): SignalPerson {
    return { uuid: randomUUID(), number, name };
  }

  /** The id of a new group, and how a message is sent to it. */
  newGroup(): { groupId: string; recipient: string } {
    const groupId = randomBytes(32).toString("base64");
    return { groupId, recipient: `group.${Buffer.from(groupId).toString("base64")}` };
  }

  /** Gives the bridge a file of a person. Returns its id. */
  attach(bytes: Uint8Array): string {
    const id = `${randomBytes(10).toString("hex")}.bin`;
    this.attachments.set(id, Buffer.from(bytes));
    return id;
  }

  /** Writes as a person; returns the message's time, which is its id. It is lost when nobody listens. */
  write({ uuid, number, name }: SignalPerson, writing: SignalWriting): number {
    const { text, groupId, mentioned } = writing;
    const timestamp = this.#now();
    const dataMessage = {
      timestamp,
      message: text,
      expiresInSeconds: 0,
      viewOnce: false,
      ...(mentioned && { mentions: [{ ...mentioned, start: 0, length: 1 }] }),
      ...(groupId && { groupInfo: { groupId, type: "DELIVER" } }),
    };
    const source = { source: number ?? uuid, sourceNumber: number, sourceUuid: uuid, sourceName: name };
    const envelope = { ...source, sourceDevice: 1, timestamp, dataMessage };
    for (const socket of this.#sockets) {
      socket.send(JSON.stringify({ envelope, account: this.account.number }));
    }
    return timestamp;
  }

  /** Resolves when somebody listens. */
  async listened(): Promise<void> {
    while (this.#sockets.size === 0) await once(this.#signals, "listening");
  }

  override async close(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    await super.close();
  }

  protected override onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (decodeURIComponent(request.url ?? "") !== `/v1/receive/${this.account.number}`) {
      socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (accepted) => {
      this.#sockets.add(accepted);
      accepted.on("close", () => this.#sockets.delete(accepted));
      this.#signals.emit("listening");
    });
  }

  /** Only a proxy before the bridge refuses for a time; the bridge itself returns 429 with tokens for a captcha. */
  protected override busy(seconds: number): Answer {
    return { status: 429, headers: { "retry-after": String(seconds) }, text: "Too Many Requests" };
  }

  protected override answer(call: MadeCall): Answer {
    const [, version = "", resource = "", last = ""] = call.path.split("/").map(decodeURIComponent);
    const text = call.body.toString();
    const json: unknown = text === "" ? undefined : JSON.parse(text);
    switch (`${call.method} /${version}/${resource}`) {
      case "GET /v1/about":
        return { json: { versions: ["v1", "v2"], build: 2, mode: "json-rpc", version: "0.99" } };
      case "GET /v1/accounts":
        return { json: [this.account.number] };
      case "GET /v1/receive":
        return {
          status: 400,
          text: `Bad Request\n${JSON.stringify({ error: "websocket: not a handshake" })}`,
        };
      case "GET /v1/attachments": {
        const bytes = this.attachments.get(last);
        return bytes ? { headers: { "content-type": "application/octet-stream" }, bytes } : { status: 404 };
      }
      case "DELETE /v1/attachments":
        return { status: this.attachments.delete(last) ? 204 : 404 };
      case "POST /v2/send":
        return this.#send(json);
      case "PUT /v1/typing-indicator":
      case "POST /v1/reactions":
      case "DELETE /v1/remote-delete":
        return this.#aim(resource, last, json);
      default:
        return { status: 404, text: "404 page not found" };
    }
  }

  #aim(resource: string, number: string, body: unknown): Answer {
    const { data } = aimed.safeParse(body);
    if (data === undefined) return refused("Couldn't process request - invalid request");
    if (number !== this.account.number) return refused(`User ${number} is not registered.`);
    const { recipient, timestamp, reaction, target_author: author } = data;
    const wrong = wrongRecipient(recipient);
    if (wrong !== undefined) return refused(wrong);
    const isWhole = reaction !== undefined && author !== undefined && timestamp !== undefined;
    if (resource === "reactions" && !isWhole) return refused("Couldn't process request - a field is missing");
    // Signal deletes what is there, and says nothing of what is not.
    return resource === "remote-delete"
      ? { status: 201, json: { timestamp: String(this.#now()) } }
      : { status: 204 };
  }

  #send(body: unknown): Answer {
    const { data } = outgoing.safeParse(body);
    if (data === undefined) return refused("Couldn't process request - invalid request");
    const { recipients, message: text, quote_timestamp: quoted, quote_author: author = "" } = data;
    const [recipient = ""] = recipients;
    if (data.number !== this.account.number) return refused(`User ${data.number} is not registered.`);
    const wrong = wrongRecipient(recipient);
    if (wrong !== undefined) return refused(wrong);
    if (quoted !== undefined && author === "") return refused("No quote author given");
    const files = data.base64_attachments.map(attachmentOf);
    if (text === "" && files.length === 0) return refused("No message, attachments or sticker given");
    const timestamp = this.#now();
    const reason = this.#nextReason;
    this.#nextReason = undefined;
    if (reason !== undefined) return this.#returned(timestamp, { recipients: [{ uuid: recipient, reason }] });
    const edited = this.sent.find((each) => each.timestamp === data.edit_timestamp);
    if (edited) edited.text = text;
    else {
      const quote = quoted === undefined ? undefined : { timestamp: quoted, author };
      this.sent.push({ timestamp, recipient, text, textMode: data.text_mode, quote, attachments: files });
    }
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

/** Groups are named by `group.` and the base64 of their id, which is 32 bytes in base64 already. */
function wrongRecipient(recipient: string): string | undefined {
  if (!recipient.startsWith("group.")) return recipient === "" ? "Invalid recipient" : undefined;
  const groupId = Buffer.from(recipient.slice("group.".length), "base64").toString();
  const size = Buffer.from(groupId, "base64").length;
  return size === 32 ? undefined : `Invalid Signal group size (${size}`;
}

/** As the bridge reads it: what is before the last `base64,`, split at semicolons. */
function attachmentOf(data: string): SentFile {
  const end = data.lastIndexOf("base64,");
  const bytes = Buffer.from(data.slice(end + "base64,".length), "base64");
  const facts = data.slice(0, Math.max(0, end - 1)).split(";");
  const fact = (name: string) => facts.find((each) => each.startsWith(name))?.slice(name.length) ?? "";
  return { filename: fact("filename="), mimeType: fact("data:"), bytes };
}

export function startSignalBridge(): Promise<SignalBridge> {
  return new SignalBridge().open();
}
