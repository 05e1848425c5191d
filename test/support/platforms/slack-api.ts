import { randomBytes } from "node:crypto";
import type { Answer, MadeCall, SentFile } from "./platform-server.ts";

const MAX_RESPONSES = 5;

export interface SlackUser {
  id: string;
  name: string;
}

interface Button {
  type: string;
  action_id: string;
  text: { type: string; text: string };
  value: string;
  style?: string;
}

/** Part of a message, as it was sent. */
interface Block {
  type: string;
  text?: { type: string; text: string };
  elements?: readonly Button[];
}

/** A message as Slack keeps it: `ts` is its id within its channel. */
export interface SlackMessage {
  ts: string;
  channelId: string;
  threadTs: string | undefined;
  userId: string;
  text: string;
  blocks: readonly Block[];
  files: readonly SentFile[];
  /** What the text notifies: the bot's texts should notify no one. */
  pings: string[];
  reactions: string[];
  edits: number;
  isEphemeral: boolean;
}

/** A call that Slack refuses: HTTP 200 and the name of the error. */
class Refusal extends Error {}

/** Arguments of a call, however they were sent. */
type Arguments = Readonly<Record<string, unknown>>;

/** What Slack keeps of an app in a workspace, and what it returns for the app's calls, as far as the bot makes them. */
export class SlackApi {
  readonly teamId = "T0MOCKTEAM";
  readonly bot: SlackUser = { id: "U0MOCKBOT1", name: "helper" };
  readonly tokens = {
    bot_token: `xoxb-${randomBytes(16).toString("hex")}`,
    app_token: `xapp-1-${randomBytes(16).toString("hex")}`,
  };
  readonly people = new Map<string, SlackUser>();
  /** Channels, with the error with which Slack refuses what the bot does there. */
  readonly channels = new Map<string, string | undefined>();
  readonly messages: SlackMessage[] = [];
  readonly responses = new Map<string, { channelId: string; uses: number; isExpired: boolean }>();
  readonly statuses: { channelId: string; threadTs: string }[] = [];
  /** Whether the app has the scope `files:read`. */
  mayReadFiles = true;
  readonly #uploads = new Map<string, { filename: string; length: number; bytes: Buffer | undefined }>();
  readonly #files = new Map<string, SentFile>();
  readonly #origin: () => string;
  readonly #newSocketUrl: () => string;
  #count = 0;

  constructor(origin: () => string, newSocketUrl: () => string) {
    this.#origin = origin;
    this.#newSocketUrl = newSocketUrl;
  }

  /** A number that no other thing has. */
  next(): number {
    this.#count += 1;
    return this.#count;
  }

  newTs(): string {
    return `${Math.floor(Date.now() / 1000)}.${String(this.next()).padStart(6, "0")}`;
  }

  addMessage(given: Partial<SlackMessage> & Pick<SlackMessage, "channelId" | "userId">): SlackMessage {
    const pings = given.userId === this.bot.id ? pingsOf(given.text ?? "") : [];
    const empty = { threadTs: undefined, text: "", blocks: [], files: [], reactions: [] };
    const message = { ts: this.newTs(), ...empty, pings, edits: 0, isEphemeral: false, ...given };
    this.messages.push(message);
    return message;
  }

  find(channelId: unknown, ts: unknown): SlackMessage | undefined {
    return this.messages.find((one) => one.channelId === channelId && one.ts === ts);
  }

  newResponseUrl(channelId: string): string {
    const path = `/actions/${this.teamId}/${this.next()}/${randomBytes(12).toString("hex")}`;
    this.responses.set(path, { channelId, uses: 0, isExpired: false });
    return this.#origin() + path;
  }

  /** The address of a file that a person sent. */
  newFileUrl(file: SentFile): string {
    const path = `/files-pri/${this.teamId}-F${this.next()}/download/${encodeURIComponent(file.filename)}`;
    this.#files.set(path, file);
    return this.#origin() + path;
  }

  /** Returns what Slack returns at any of its addresses: methods, uploads, files and responses. */
  answer(call: MadeCall): Answer {
    const [, kind, ...rest] = call.path.split("/");
    if (kind === "api") return this.#answerMethod(rest.join("/"), call);
    if (kind === "upload") return this.#takeUpload(rest[1] ?? "", call);
    if (kind === "files-pri") return this.#giveFile(call);
    return kind === "actions" ? this.#takeResponse(call) : { status: 404 };
  }

  #takeUpload(id: string, { body, headers }: MadeCall): Answer {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return { status: 404 };
    // Forms are taken too: the file is in there somewhere.
    const isForm = headers["content-type"]?.startsWith("multipart/") ?? false;
    if (!isForm && body.length !== upload.length) return { status: 400, text: "length" };
    upload.bytes = body;
    return { text: `OK - ${body.length}` };
  }

  /** Without a token that may read files, Slack shows its login page with status 200. */
  #giveFile({ path, headers }: MadeCall): Answer {
    const isKnown = headers["authorization"] === `Bearer ${this.tokens.bot_token}`;
    if (!isKnown || !this.mayReadFiles) {
      return { headers: { "content-type": "text/html" }, text: "<title>Sign in to Slack</title>" };
    }
    const file = this.#files.get(path);
    if (file === undefined) return { status: 404 };
    const disposition = `attachment; filename="${file.filename}"`;
    const type = { "content-type": file.mimeType, "content-disposition": disposition };
    return { headers: type, bytes: file.bytes };
  }

  #takeResponse({ path, body }: MadeCall): Answer {
    const target = this.responses.get(path);
    if (!target || target.isExpired || target.uses >= MAX_RESPONSES) {
      return { status: 404, json: { ok: false, error: target?.isExpired ? "expired_url" : "used_url" } };
    }
    const given: { text?: string; blocks?: unknown; response_type?: string; thread_ts?: string } = JSON.parse(
      body.toString(),
    );
    this.addMessage({
      channelId: target.channelId,
      userId: this.bot.id,
      threadTs: given.thread_ts,
      text: given.text ?? "",
      blocks: blocksOf(given.blocks) ?? [],
      isEphemeral: given.response_type !== "in_channel",
    });
    target.uses += 1;
    return { text: "ok" };
  }

  #answerMethod(name: string, { headers, body }: MadeCall): Answer {
    const token = headers["authorization"]?.replace(/^Bearer /u, "");
    const { bot_token, app_token } = this.tokens;
    try {
      if (token !== (name === "apps.connections.open" ? app_token : bot_token)) {
        throw new Refusal(token === undefined ? "not_authed" : "invalid_auth");
      }
      const isJson = headers["content-type"]?.startsWith("application/json");
      const given = isJson
        ? JSON.parse(body.toString())
        : Object.fromEntries(new URLSearchParams(String(body)));
      return { json: { ok: true, ...this.#call(name, given) } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { json: { ok: false, error: error.message } };
    }
  }

  #call(method: string, given: Arguments): object {
    switch (method) {
      case "apps.connections.open":
        return { url: this.#newSocketUrl() };
      case "auth.test":
        return { user: this.bot.name, team_id: this.teamId, user_id: this.bot.id, bot_id: "B0MOCKBOT1" };
      case "bots.info":
        return { bot: { id: given["bot"], app_id: "A0MOCKAPP1" } };
      case "chat.postMessage":
        return this.#post(given);
      case "chat.update":
        return this.#update(given);
      case "chat.delete": {
        const message = this.#ownMessage(given);
        this.messages.splice(this.messages.indexOf(message), 1);
        return { channel: message.channelId, ts: message.ts };
      }
      case "reactions.add":
        return this.#react(given);
      case "assistant.threads.setStatus": {
        const channelId = this.#writable(given["channel_id"]);
        this.statuses.push({ channelId, threadTs: String(given["thread_ts"]) });
        return {};
      }
      case "conversations.open": {
        const known = [...this.people.values()].find(({ id }) => id === given["users"]);
        if (known === undefined) throw new Refusal("user_not_found");
        const id = known.id.replace(/^U/u, "D");
        this.channels.set(id, this.channels.get(id));
        return { channel: { id } };
      }
      case "files.getUploadURLExternal": {
        const id = `F0MOCK${this.next()}`;
        const length = Number(given["length"]);
        if (!(length > 0)) throw new Refusal("invalid_arguments");
        this.#uploads.set(id, { filename: String(given["filename"]), length, bytes: undefined });
        return { upload_url: `${this.#origin()}/upload/v1/${id}`, file_id: id };
      }
      case "files.completeUploadExternal":
        return this.#completeUpload(given);
      default:
        throw new Refusal("unknown_method");
    }
  }

  #post(given: Arguments): object {
    const channelId = this.#writable(given["channel"]);
    const blocks = blocksOf(given["blocks"]);
    const text = optional(given["text"]) ?? "";
    if (text === "" && blocks === undefined) throw new Refusal("no_text");
    const threadTs = optional(given["thread_ts"]);
    const { ts } = this.addMessage({
      channelId,
      userId: this.bot.id,
      threadTs,
      text: text.slice(0, 40_000),
      blocks: blocks ?? [],
    });
    return { channel: channelId, ts };
  }

  #update(given: Arguments): object {
    const message = this.#ownMessage(given);
    const text = optional(given["text"]);
    if (text !== undefined && text.length > 4_000) throw new Refusal("msg_too_long");
    message.text = text ?? message.text;
    // Without the argument the blocks stay.
    message.blocks = blocksOf(given["blocks"]) ?? message.blocks;
    message.pings.push(...pingsOf(text ?? ""));
    message.edits += 1;
    return { channel: message.channelId, ts: message.ts, text: message.text };
  }

  #react(given: Arguments): object {
    const name = String(given["name"]);
    if (!/^[a-z0-9_+-]+$/u.test(name)) throw new Refusal("invalid_name");
    const message = this.find(given["channel"], given["timestamp"]);
    if (message === undefined) throw new Refusal("message_not_found");
    if (message.reactions.includes(name)) throw new Refusal("already_reacted");
    message.reactions.push(name);
    return {};
  }

  #completeUpload(given: Arguments): object {
    const listed = read(given["files"]);
    const ids = Array.isArray(listed) ? listed.map((file: { id?: string }) => String(file.id)) : [];
    const files = ids.map((id) => {
      const { filename = "", bytes } = this.#uploads.get(id) ?? {};
      if (bytes === undefined) throw new Refusal("file_not_found");
      return { filename, mimeType: "application/octet-stream", bytes };
    });
    const channelId = this.#writable(given["channel_id"]);
    this.addMessage({ channelId, userId: this.bot.id, threadTs: optional(given["thread_ts"]), files });
    return { files: ids.map((id) => ({ id })) };
  }

  #writable(channelId: unknown): string {
    const id = String(channelId);
    const refusal = this.channels.has(id) ? this.channels.get(id) : "channel_not_found";
    if (refusal !== undefined) throw new Refusal(refusal);
    return id;
  }

  #ownMessage(given: Arguments): SlackMessage {
    const message = this.find(this.#writable(given["channel"]), given["ts"]);
    if (message?.userId !== this.bot.id) throw new Refusal("message_not_found");
    return message;
  }
}

function optional(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What is in a form as JSON. */
function read(value: unknown): unknown {
  return typeof value === "string" ? JSON.parse(value) : value;
}

/** Undefined when there is no such argument; throws for what Slack refuses. */
function blocksOf(value: unknown): Block[] | undefined {
  if (value === undefined) return undefined;
  const blocks = read(value);
  if (!Array.isArray(blocks) || blocks.length > 50 || !blocks.every(isGoodBlock)) {
    throw new Refusal("invalid_blocks");
  }
  return blocks;
}

function isGoodBlock({ type, text, elements = [] }: Block): boolean {
  if (type === "section") return text !== undefined && text.text !== "" && text.text.length <= 3_000;
  const ids = new Set(elements.map((button) => button.action_id));
  return (
    elements.length > 0 &&
    elements.length <= 25 &&
    ids.size === elements.length &&
    elements.every((button) => button.text.text.length <= 75 && button.value.length <= 2_000)
  );
}

/** Mentions as Slack reads them: what is escaped is none. */
function pingsOf(text: string): string[] {
  return [...text.matchAll(/<([!@][^>|]+)/gu)].map(([, target = ""]) => target);
}
