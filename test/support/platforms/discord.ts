import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { DiscordApi, type DiscordMessage, type DiscordUser, type Interaction } from "./discord-api.ts";
import { type Answer, type MadeCall, PlatformServer, type SentFile, textOf } from "./platform-server.ts";

const GUILD_MESSAGES = 1 << 9;
const DIRECT_MESSAGES = 1 << 12;
const MESSAGE_CONTENT = 1 << 15;
/** Types of interactions. */
const COMMAND = 2;
const MESSAGE_COMPONENT = 3;
/** Opcodes of the gateway's frames. */
const [DISPATCH, HEARTBEAT, IDENTIFY, HELLO, ACK] = [0, 1, 2, 10, 11];

export type { DiscordUser };

/** What became of a command or a click: the webhook's status and body, or undefined when it went over the gateway. */
interface Acted {
  id: string;
  token: string;
  response: { status: number; body: unknown } | undefined;
}

/**
 * Discord as a bot sees it: REST calls, the gateway and signed interactions. `@discordjs/rest` and `@discordjs/ws` work with it. How
 * sessions of the gateway break off and are resumed is scripted in `test/channels/discord/connection.test.ts`. Source:
 * discord-api-docs.
 */
export class DiscordMock extends PlatformServer {
  readonly #keys = generateKeyPairSync("ed25519");
  readonly #api = new DiscordApi(
    this.#keys.publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("hex"),
    () => this.origin,
  );
  readonly #people = new Map<string, DiscordUser>();
  readonly #sockets = new WebSocketServer({ noServer: true });
  /** Connections to the gateway, with what each wants to hear. */
  readonly #sessions = new Map<WebSocket, { seq: number; intents: number }>();
  readonly credentials = this.#api.credentials;
  readonly bot = this.#api.bot;
  /** Where the application's interactions go; undefined sends them over the gateway. Never both, as at Discord. */
  interactionsUrl: string | undefined;

  /** Base address of the API, as in DISCORD_API_BASE_URL. */
  get url(): string {
    return `${this.origin}/api/v10`;
  }

  /** How many connections get events. */
  get listening(): number {
    return this.#sessions.size;
  }

  /** A person, the same for the same name. */
  person(name: string): DiscordUser {
    const user = this.#people.get(name) ?? { id: this.#api.newId(), username: name };
    this.#people.set(name, user);
    return user;
  }

  /** A channel of a guild. */
  addChannel(guildId = "1"): string {
    return this.#api.addChannel(this.#api.newId(), guildId).id;
  }

  /** The private chat of a person with the bot. */
  directChannel({ id }: DiscordUser): string {
    return this.#api.directChannel(id).id;
  }

  /** Makes Discord refuse what the bot does in a channel, such as with 50013. */
  refuse(channelId: string, code: number): void {
    this.#api.addChannel(channelId).refusal = code;
  }

  /** Messages of the bot in a channel, as they are now. */
  sent(channelId: string): readonly DiscordMessage[] {
    return this.#api.messages.filter((one) => one.channelId === channelId && one.author === this.bot);
  }

  message(id: string): DiscordMessage | undefined {
    return this.#api.messages.find((one) => one.id === id);
  }

  /** The address of a file below a message. */
  fileUrl(messageId: string): string {
    return this.#api.wireMessage(this.#messageOf(messageId)).attachments[0]?.url ?? "";
  }

  /** How often the bot showed that it writes. */
  typing(channelId: string): number {
    return this.#api.typing.filter((id) => id === channelId).length;
  }

  /** Type of the first reply that an interaction got. */
  answered(interactionId: string): number | undefined {
    return [...this.#api.interactions.values()].find(({ id }) => id === interactionId)?.answered;
  }

  /** Makes all interactions so far too old. */
  expireInteractions(): void {
    for (const interaction of this.#api.interactions.values()) interaction.isExpired = true;
  }

  /** A message of a person: MESSAGE_CREATE to those who listen. Returns its id. */
  say(said: { channelId: string; text: string; author?: DiscordUser; files?: readonly SentFile[] }): string {
    const { channelId, text, author = this.person("ann"), files = [] } = said;
    const isDirect = this.#api.addChannel(channelId).guildId === undefined;
    const message = this.#api.addMessage({ channelId, author, content: text, files });
    const wire = this.#api.wireMessage(message);
    const isForBot = isDirect || text.includes(`<@${this.bot.id}>`);
    // Without the intent, a bot sees that there is a message and not what it says.
    const hidden = { ...wire, content: "", attachments: [] };
    for (const [socket, { intents }] of this.#sessions) {
      if ((intents & (isDirect ? DIRECT_MESSAGES : GUILD_MESSAGES)) === 0) continue;
      const isRead = isForBot || (intents & MESSAGE_CONTENT) !== 0;
      this.#dispatch(socket, "MESSAGE_CREATE", isRead ? wire : hidden);
    }
    return message.id;
  }

  /** Presses the button with this data below a message. */
  press(messageId: string, data: string, by = this.person("ann")): Promise<Acted> {
    const message = this.#messageOf(messageId);
    const buttons = message.components.flatMap((row) => row.components);
    if (!buttons.some((one) => one.custom_id === data)) throw new Error(`No button ${data} below it`);
    return this.#act(message.channelId, by, {
      type: MESSAGE_COMPONENT,
      data: { custom_id: data, component_type: 2 },
      message: this.#api.wireMessage(message),
    });
  }

  /** Uses a slash command. */
  command(
    channelId: string,
    name: string,
    options: readonly object[] = [],
    by = this.person("ann"),
  ): Promise<Acted> {
    return this.#act(channelId, by, {
      type: COMMAND,
      data: { id: this.#api.newId(), name, type: 1, options },
    });
  }

  /** Headers that sign a body as Discord does. */
  signed(body: string): Record<string, string> {
    const seconds = String(Math.floor(Date.now() / 1000));
    return {
      "content-type": "application/json",
      "x-signature-timestamp": seconds,
      "x-signature-ed25519": sign(null, Buffer.from(seconds + body), this.#keys.privateKey).toString("hex"),
    };
  }

  #messageOf(id: string): DiscordMessage {
    const message = this.message(id);
    if (!message) throw new Error(`There is no message ${id}`);
    return message;
  }

  async #act(channelId: string, by: DiscordUser, about: object): Promise<Acted> {
    const { guildId } = this.#api.addChannel(channelId);
    const interaction = this.#api.addInteraction(channelId);
    const { id, token } = interaction;
    const from =
      guildId === undefined
        ? { user: by, context: 1 }
        : { guild_id: guildId, member: { user: by, nick: null, roles: [] }, context: 0 };
    const ids = { id, token, application_id: this.credentials.application_id, channel_id: channelId };
    const payload = { ...ids, version: 1, ...from, ...about };
    if (this.interactionsUrl !== undefined) {
      return { id, token, response: await this.#toWebhook(this.interactionsUrl, interaction, payload) };
    }
    for (const socket of this.#sessions.keys()) this.#dispatch(socket, "INTERACTION_CREATE", payload);
    return { id, token, response: undefined };
  }

  async #toWebhook(url: string, interaction: Interaction, payload: object): Promise<Acted["response"]> {
    const body = JSON.stringify(payload);
    const answer = await fetch(url, { method: "POST", headers: this.signed(body), body });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") ?? false;
    const read = isJson && text !== "" ? JSON.parse(text) : undefined;
    // With 202 and no body, the reply comes as a call.
    if (answer.status === 200 && read !== undefined) this.#api.reply(interaction, read);
    return { status: answer.status, body: read };
  }

  protected override answer(call: MadeCall): Promise<Answer> {
    return this.#api.answer(call);
  }

  protected override busy(seconds: number): Answer {
    return {
      status: 429,
      headers: { "retry-after": String(Math.ceil(seconds)) },
      json: { message: "You are being rate limited.", retry_after: seconds, global: false },
    };
  }

  protected override onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on("message", (data) => this.#read(opened, textOf(data)));
      opened.on("close", () => this.#sessions.delete(opened));
      opened.send(JSON.stringify({ op: HELLO, d: { heartbeat_interval: 41_250 }, s: null, t: null }));
    });
  }

  #read(socket: WebSocket, text: string): void {
    const { op, d }: { op?: number; d?: { token?: string; intents?: number } } = JSON.parse(text);
    if (op === HEARTBEAT) return socket.send(JSON.stringify({ op: ACK }));
    if (op !== IDENTIFY) return socket.close(4_001);
    if (d?.token?.replace(/^Bot /u, "") !== this.credentials.bot_token) return socket.close(4_004);
    this.#sessions.set(socket, { seq: 0, intents: d.intents ?? 0 });
    this.#dispatch(socket, "READY", {
      v: 10,
      user: this.bot,
      guilds: [],
      session_id: randomBytes(16).toString("hex"),
      resume_gateway_url: this.#api.gatewayUrl,
      application: { id: this.credentials.application_id, flags: 0 },
    });
  }

  #dispatch(socket: WebSocket, type: string, data: unknown): void {
    const session = this.#sessions.get(socket);
    if (!session) return;
    session.seq += 1;
    socket.send(JSON.stringify({ op: DISPATCH, t: type, s: session.seq, d: data }));
  }
}

export function startDiscord(): Promise<DiscordMock> {
  return new DiscordMock().open();
}
