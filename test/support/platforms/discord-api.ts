import { randomBytes } from "node:crypto";
import { type Answer, formOf, type MadeCall, type SentFile } from "./platform-server.ts";

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const EPHEMERAL = 1 << 6;
/** Types of replies to an interaction. */
const [MESSAGE, MESSAGE_FOLLOWS] = [4, 5];
/** Time that Discord's ids count from. */
const EPOCH_MS = 1_420_070_400_000;

export interface DiscordUser {
  id: string;
  username: string;
  bot?: boolean;
}

/** A message as Discord keeps it. */
export interface DiscordMessage {
  id: string;
  channelId: string;
  author: DiscordUser;
  content: string;
  /** Rows of buttons, as they were sent. */
  components: readonly { components: readonly { label: string; custom_id: string; style: number }[] }[];
  files: readonly SentFile[];
  replyTo: string | undefined;
  flags: number;
  /** What the text would have notified: the bot's texts should notify no one. */
  pings: string[];
  reactions: string[];
  edits: number;
  /** Whether only the person who acted sees it. */
  isEphemeral: boolean;
  nonce: string | undefined;
}

interface Channel {
  id: string;
  /** Undefined in a private chat. */
  guildId: string | undefined;
  /** Code with which Discord refuses what the bot does there. */
  refusal: number | undefined;
}

/** A command or a click, and the replies it got. */
export interface Interaction {
  id: string;
  token: string;
  channelId: string;
  /** Type of the first reply; undefined before. */
  answered: number | undefined;
  /** The message that the first reply made, or is still to make. */
  original: DiscordMessage | undefined;
  isExpired: boolean;
}

/** A message as the bot sends it. */
interface MessageBody {
  content?: string;
  components?: DiscordMessage["components"];
  flags?: number;
  nonce?: string;
  enforce_nonce?: boolean;
  message_reference?: { message_id: string; fail_if_not_exists?: boolean };
  allowed_mentions?: { parse?: string[]; users?: string[] };
}

/** Statuses of errors by their codes; those of other codes are 400. */
const STATUSES: Readonly<Record<number, number>> = {
  ...Object.fromEntries([0, 10_003, 10_008, 10_015, 10_062].map((code) => [code, 404])),
  ...Object.fromEntries([40_333, 50_001, 50_005, 50_007, 50_013, 160_005].map((code) => [code, 403])),
  40_005: 413,
  50_027: 401,
};

function errorAnswer(code: number, message = `Error ${code}`): Answer {
  return { status: STATUSES[code] ?? 400, json: { message, code } };
}

/** What Discord keeps of a bot, and what it returns for the bot's calls. */
export class DiscordApi {
  readonly bot: DiscordUser;
  readonly credentials: { bot_token: string; application_id: string; public_key: string };
  readonly channels = new Map<string, Channel>();
  readonly messages: DiscordMessage[] = [];
  readonly interactions = new Map<string, Interaction>();
  readonly files = new Map<string, SentFile>();
  readonly typing: string[] = [];
  readonly #origin: () => string;
  #count = 0;

  constructor(publicKey: string, origin: () => string) {
    this.#origin = origin;
    this.bot = { id: this.newId(), username: "helper-bot", bot: true };
    const token = `${Buffer.from(this.bot.id).toString("base64url")}.${randomBytes(24).toString("hex")}`;
    this.credentials = { bot_token: token, application_id: this.bot.id, public_key: publicKey };
  }

  get gatewayUrl(): string {
    return `${this.#origin().replace(/^http/u, "ws")}/gateway`;
  }

  /** A snowflake. */
  newId(): string {
    this.#count += 1;
    return String((BigInt(Date.now() - EPOCH_MS) << 22n) + BigInt(this.#count));
  }

  addChannel(id: string, guildId?: string): Channel {
    const channel = this.channels.get(id) ?? { id, guildId, refusal: undefined };
    this.channels.set(id, channel);
    return channel;
  }

  /** The private chat of a person and the bot. Its id is not the person's, always the same, and that of nothing else. */
  directChannel(personId: string): Channel {
    return this.addChannel(String(BigInt(personId) + (1n << 20n)));
  }

  addMessage(given: Partial<DiscordMessage> & Pick<DiscordMessage, "channelId" | "author">): DiscordMessage {
    const none = { replyTo: undefined, nonce: undefined, flags: 0, edits: 0, isEphemeral: false };
    const empty = { content: "", components: [], files: [], pings: [], reactions: [] };
    const message = { id: this.newId(), ...empty, ...none, ...given };
    this.messages.push(message);
    return message;
  }

  addInteraction(channelId: string): Interaction {
    const token = randomBytes(30).toString("base64url");
    const interaction = { id: this.newId(), token, channelId, isExpired: false };
    const kept = { ...interaction, answered: undefined, original: undefined };
    this.interactions.set(token, kept);
    return kept;
  }

  /** A message as Discord returns and dispatches it: of its fields, those that are read here. */
  wireMessage(message: DiscordMessage) {
    const { id, channelId, author, content, components, flags, files } = message;
    const guildId = this.channels.get(channelId)?.guildId;
    const attachments = files.map((file) => {
      const fileId = this.newId();
      const path = `/attachments/${fileId}/${encodeURIComponent(file.filename)}`;
      this.files.set(path, file);
      const { filename, mimeType, bytes } = file;
      const url = `${this.#origin()}${path}?ex=1&hm=2`;
      return { id: fileId, filename, content_type: mimeType, size: bytes.length, url };
    });
    return {
      id,
      type: 0,
      channel_id: channelId,
      ...(guildId !== undefined && { guild_id: guildId }),
      author,
      content,
      timestamp: new Date().toISOString(),
      mentions: content.includes(`<@${this.bot.id}>`) ? [this.bot] : [],
      attachments,
      components,
      flags,
    };
  }

  async answer(call: MadeCall): Promise<Answer> {
    const file = this.files.get(call.path);
    if (file !== undefined) return { headers: { "content-type": file.mimeType }, bytes: file.bytes };
    if (!/^DiscordBot \(.+, .+\)/u.test(call.headers["user-agent"] ?? "")) return errorAnswer(40_333);
    const path = call.path.replace(/^\/api\/v10/u, "");
    const [, first = "", second = "", third = "", fourth = ""] = path.split("/").map(decodeURIComponent);
    if (first === "interactions") return this.#callback(third, second, call);
    if (first === "webhooks") return this.#followUp(second, third, call);
    if (call.headers["authorization"] !== `Bot ${this.credentials.bot_token}`) {
      return { status: 401, json: { message: "401: Unauthorized", code: 0 } };
    }
    const { application_id: id, public_key: verify_key } = this.credentials;
    const limit = { total: 1_000, remaining: 1_000, reset_after: 3_600_000, max_concurrency: 1 };
    switch (`${call.method} ${path}`) {
      case "GET /gateway/bot":
        return { json: { url: this.gatewayUrl, shards: 1, session_start_limit: limit } };
      case "GET /applications/@me":
        return { json: { id, name: "Helper", verify_key, bot: this.bot } };
      case `PUT /applications/${id}/commands`:
        return { json: JSON.parse(call.body.toString()) };
      case "POST /users/@me/channels": {
        const { recipient_id: person = "" }: { recipient_id?: string } = JSON.parse(call.body.toString());
        return /^\d+$/u.test(person) ? { json: { id: this.directChannel(person).id } } : errorAnswer(50_033);
      }
      default:
        return first === "channels" ? this.#inChannel(call, second, third, fourth) : errorAnswer(0);
    }
  }

  async #inChannel(call: MadeCall, channelId: string, kind: string, messageId: string): Promise<Answer> {
    const channel = this.channels.get(channelId);
    if (channel === undefined) return errorAnswer(10_003);
    if (channel.refusal !== undefined) return errorAnswer(channel.refusal);
    if (kind === "typing") {
      this.typing.push(channelId);
      return { status: 204 };
    }
    if (messageId === "") return this.#create(call, channelId);
    const message = this.messages.find((one) => one.channelId === channelId && one.id === messageId);
    if (message === undefined) return errorAnswer(10_008);
    if (call.method === "PUT") {
      const [, emoji = ""] = /\/reactions\/([^/]+)\/@me$/u.exec(call.path) ?? [];
      message.reactions = [...new Set([...message.reactions, decodeURIComponent(emoji)])];
      return { status: 204 };
    }
    if (message.author !== this.bot) return errorAnswer(50_005);
    if (call.method === "PATCH") return this.#change(message, await readMessage(call));
    this.#remove(message);
    return { status: 204 };
  }

  #remove(message: DiscordMessage): void {
    this.messages.splice(this.messages.indexOf(message), 1);
  }

  async #create(call: MadeCall, channelId: string): Promise<Answer> {
    const body = await readMessage(call);
    const fault = faultOf(body, body.files);
    if (fault !== undefined) return fault;
    if (body.files.some(({ bytes }) => bytes.length > MAX_FILE_BYTES)) return errorAnswer(40_005);
    const before =
      body.enforce_nonce === true &&
      this.messages.find((one) => one.channelId === channelId && one.nonce === body.nonce);
    if (before) return { json: this.wireMessage(before) };
    const { message_id: wanted, fail_if_not_exists: mustExist } = body.message_reference ?? {};
    const replyTo = this.messages.find(({ id }) => id === wanted)?.id;
    if (wanted !== undefined && replyTo === undefined && mustExist !== false) return errorAnswer(50_035);
    return { json: this.wireMessage(this.#ofBot(channelId, body, { replyTo })) };
  }

  #ofBot(channelId: string, body: MessageBody & { files?: SentFile[] }, more: Partial<DiscordMessage> = {}) {
    const { content = "", components = [], files = [], flags = 0, nonce } = body;
    const isEphemeral = (flags & EPHEMERAL) !== 0;
    const shown = { content, components, files, flags, isEphemeral, pings: pingsOf(body), nonce };
    return this.addMessage({ channelId, author: this.bot, ...shown, ...more });
  }

  /** An edit: what it does not name stays. */
  #change(message: DiscordMessage, body: MessageBody): Answer {
    const content = body.content ?? message.content;
    const fault = faultOf({ ...body, content }, message.files);
    if (fault !== undefined) return fault;
    message.content = content;
    message.components = body.components ?? message.components;
    message.pings.push(...pingsOf({ ...body, content }));
    message.edits += 1;
    return { json: this.wireMessage(message) };
  }

  #callback(token: string, id: string, call: MadeCall): Answer {
    const interaction = this.interactions.get(token);
    if (interaction?.id !== id || interaction.isExpired) return errorAnswer(10_062);
    if (interaction.answered !== undefined) return errorAnswer(40_060);
    return this.reply(interaction, JSON.parse(call.body.toString()));
  }

  /** Takes the first reply to an interaction, as the callback or the webhook's own answer brings it. */
  reply(interaction: Interaction, { type, data = {} }: { type: number; data?: MessageBody }): Answer {
    const fault = type === MESSAGE ? faultOf(data, []) : undefined;
    if (fault !== undefined) return fault;
    interaction.answered = type;
    if (type === MESSAGE || type === MESSAGE_FOLLOWS) {
      interaction.original = this.#ofBot(interaction.channelId, data);
      // Until it has its text, people see that the bot is thinking.
      if (type === MESSAGE_FOLLOWS) this.#remove(interaction.original);
    }
    return { status: 204 };
  }

  /** A further message, or the text of the first one. */
  async #followUp(application: string, token: string, call: MadeCall): Promise<Answer> {
    const interaction = this.interactions.get(token);
    if (interaction?.answered === undefined || application !== this.bot.id) return errorAnswer(10_015);
    if (interaction.isExpired) return errorAnswer(50_027);
    const body = await readMessage(call);
    const { original, channelId } = interaction;
    if (!call.path.endsWith("/@original")) {
      return faultOf(body, body.files) ?? { json: this.wireMessage(this.#ofBot(channelId, body)) };
    }
    if (original === undefined || call.method !== "PATCH") return errorAnswer(10_008);
    const answer = this.#change(original, body);
    if (answer.status === undefined && !this.messages.includes(original)) this.messages.push(original);
    return answer;
  }
}

/** The message of a call, as JSON or as a form with files. */
async function readMessage(call: MadeCall): Promise<MessageBody & { files: SentFile[] }> {
  if (!call.headers["content-type"]?.startsWith("multipart/")) {
    return { ...JSON.parse(call.body.toString()), files: [] };
  }
  const form = await formOf(call);
  const files: SentFile[] = [];
  for (const part of form.values()) {
    if (!(part instanceof File)) continue;
    const bytes = Buffer.from(await part.arrayBuffer());
    files.push({ filename: part.name, mimeType: part.type, bytes });
  }
  const payload = form.get("payload_json");
  return { ...JSON.parse(typeof payload === "string" ? payload : "{}"), files };
}

/** What Discord says against a message; undefined for a good one. */
function faultOf(body: MessageBody, files: readonly SentFile[]): Answer | undefined {
  const { content = "", components = [], nonce = "" } = body;
  if (content.trim() === "" && files.length === 0) return errorAnswer(50_006);
  const buttons = components.flatMap((row) => row.components);
  const isGood =
    Array.from(content).length <= 2_000 &&
    nonce.length <= 25 &&
    components.length <= 5 &&
    components.every((row) => row.components.length > 0 && row.components.length <= 5) &&
    buttons.every((one) => one.label.length <= 80 && one.custom_id.length <= 100) &&
    new Set(buttons.map((one) => one.custom_id)).size === buttons.length;
  return isGood ? undefined : errorAnswer(50_035);
}

/** What a text notifies: without `allowed_mentions` everything in it. */
function pingsOf({ content = "", allowed_mentions: allowed }: MessageBody): string[] {
  const mentioned = [...content.matchAll(/@everyone|@here|<@!?\d+>/gu)].map(([mention]) => mention);
  return allowed === undefined || (allowed.parse ?? []).length > 0 ? mentioned : (allowed.users ?? []);
}
