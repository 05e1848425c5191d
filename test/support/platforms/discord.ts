import { generateKeyPairSync, sign } from "node:crypto";
import { DiscordGateway } from "./discord/gateway.ts";
import { reply } from "./discord/interaction-replies.ts";
import { answerRest } from "./discord/rest.ts";
import {
  type DiscordMessage,
  DiscordState,
  type DiscordUser,
  type SentFile,
  type WireMessage,
} from "./discord/state.ts";
import { type PlatformServer, servePlatform } from "./platform-server.ts";

const GUILD_MESSAGES = 1 << 9;
const DIRECT_MESSAGES = 1 << 12;
const MESSAGE_COMPONENT = 3;
const COMMAND = 2;

export type { DiscordMessage, DiscordUser };

/** What a person writes. */
export interface Said {
  channelId: string;
  text: string;
  author?: DiscordUser;
  /** A message that it replies to. */
  replyTo?: string;
  files?: readonly SentFile[];
}

/** What became of a command or a click: the webhook's status and body, or undefined when it went over the gateway. */
export interface Acted {
  id: string;
  token: string;
  response: { status: number; body: unknown } | undefined;
}

export interface DiscordMock extends PlatformServer {
  /** Base address of the API, as in DISCORD_API_BASE_URL. */
  url: string;
  credentials: { bot_token: string; application_id: string; public_key: string };
  bot: DiscordUser;
  gateway: DiscordGateway;
  /** Where the application's interactions go; undefined sends them over the gateway. Never both, as at Discord. */
  interactionsUrl: string | undefined;
  /** A person, the same for the same name. */
  person(name: string): DiscordUser;
  /** A channel of a guild, or a private chat when there is no guild. */
  addChannel(options?: { id?: string; guildId?: string }): string;
  /** The private chat of a person with the bot. */
  directChannel(person: DiscordUser): string;
  /** Makes Discord refuse what the bot does in a channel, such as with 50013; undefined ends it. */
  refuse(channelId: string, code: number | undefined): void;
  /** Messages of the bot in a channel, as they are now. */
  sent(channelId: string): readonly DiscordMessage[];
  /** Any message, while it is there. */
  message(id: string): DiscordMessage | undefined;
  /** A message as MESSAGE_CREATE tells of it; undefined once it is gone. */
  wire(id: string): WireMessage | undefined;
  /** How often the bot showed that it writes. */
  typing(channelId: string): number;
  /** A message of a person: MESSAGE_CREATE to those who listen. Returns its id. */
  say(said: Said): string;
  /** Presses the button with this data below a message. */
  press(messageId: string, data: string, by?: DiscordUser): Promise<Acted>;
  /** Uses a slash command. */
  command(channelId: string, name: string, options?: readonly object[], by?: DiscordUser): Promise<Acted>;
  /** Signs a body as Discord does, at a time in seconds. */
  signed(body: string, seconds?: number): Record<string, string>;
  /** Makes all interactions so far too old. */
  expireInteractions(): void;
  /** Types of the first replies that interactions got, by their ids. */
  answered(interactionId: string): number | undefined;
}

/**
 * Discord as a bot sees it: REST calls, the gateway and signed interactions. `@discordjs/rest` and `@discordjs/ws` work
 * with it.
 */
export async function startDiscord(): Promise<DiscordMock> {
  const state = new DiscordState();
  const keys = generateKeyPairSync("ed25519");
  const publicKey = keys.publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("hex");
  const people = new Map<string, DiscordUser>();
  const origin = (): string => server.origin;
  const gateway = new DiscordGateway(state, origin);
  const context = { state, origin, publicKey, gateway: () => gateway.description() };
  const server: PlatformServer = await servePlatform({
    answer: (call) => answerRest(context, call),
    busy: (seconds) => ({
      status: 429,
      headers: { "retry-after": String(Math.ceil(seconds)), "x-ratelimit-scope": "user" },
      json: { message: "You are being rate limited.", retry_after: seconds, global: false },
    }),
    onUpgrade: (request, socket, head) => gateway.accept(request, socket, head),
  });

  const person = (name: string) => {
    const user = people.get(name) ?? {
      id: state.newId(),
      username: name,
      global_name: name.toUpperCase(),
    };
    people.set(name, user);
    return user;
  };

  const signed = (body: string, seconds = Math.floor(Date.now() / 1000)) => ({
    "content-type": "application/json",
    "x-signature-timestamp": String(seconds),
    "x-signature-ed25519": sign(null, Buffer.from(String(seconds) + body), keys.privateKey).toString("hex"),
  });

  async function act(channelId: string, by: DiscordUser, about: object): Promise<Acted> {
    const channel = state.addChannel({ id: channelId });
    const interaction = state.addInteraction(channelId);
    const { id, token } = interaction;
    const payload = {
      id,
      token,
      application_id: state.applicationId,
      version: 1,
      channel_id: channelId,
      ...(channel.guildId === undefined
        ? { user: by, context: 1 }
        : { guild_id: channel.guildId, member: { user: by, nick: null, roles: [] }, context: 0 }),
      ...about,
    };
    if (mock.interactionsUrl === undefined) {
      gateway.dispatch("INTERACTION_CREATE", 0, () => payload);
      return { id, token, response: undefined };
    }
    const body = JSON.stringify(payload);
    const answer = await fetch(mock.interactionsUrl, { method: "POST", headers: signed(body), body });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") ?? false;
    const read = isJson && text !== "" ? JSON.parse(text) : undefined;
    // With 202 and no body, the reply comes as a call.
    if (answer.status === 200 && read !== undefined) reply(state, interaction, read);
    return { id, token, response: { status: answer.status, body: read } };
  }

  const mock: DiscordMock = {
    ...server,
    url: `${server.origin}/api/v10`,
    credentials: { bot_token: state.token, application_id: state.applicationId, public_key: publicKey },
    bot: state.bot,
    gateway,
    interactionsUrl: undefined,
    person,
    signed,
    addChannel: (options) => state.addChannel(options).id,
    directChannel: ({ id }) => state.directChannel(id).id,
    refuse(channelId, code) {
      state.addChannel({ id: channelId }).refusal = code;
    },
    sent: (channelId) =>
      state.messages.filter((one) => one.channelId === channelId && one.author.id === state.bot.id),
    message: (id) => state.messages.find((one) => one.id === id),
    wire(id) {
      const message = mock.message(id);
      return message && state.wireMessage(message, server.origin);
    },
    typing: (channelId) => state.typing.filter((id) => id === channelId).length,
    say({ channelId, text, author = person("ann"), replyTo, files = [] }) {
      const channel = state.addChannel({ id: channelId });
      const message = state.addMessage({ channelId, author, content: text, replyTo, files });
      const wire = state.wireMessage(message, server.origin);
      const isDirect = channel.guildId === undefined;
      const isForBot = isDirect || text.includes(`<@${state.bot.id}>`);
      // Without the intent, a bot sees that there is a message and not what it says.
      const hidden = { ...wire, content: "", attachments: [], embeds: [], components: [] };
      gateway.dispatch("MESSAGE_CREATE", isDirect ? DIRECT_MESSAGES : GUILD_MESSAGES, (readsContent) =>
        readsContent || isForBot ? wire : hidden,
      );
      return message.id;
    },
    press(messageId, data, by = person("ann")) {
      const message = mock.message(messageId);
      const buttons = message?.components.flatMap((row) => row.components) ?? [];
      if (message === undefined || !buttons.some((one) => one.custom_id === data)) {
        throw new Error(`No button ${data} below ${messageId}`);
      }
      return act(message.channelId, by, {
        type: MESSAGE_COMPONENT,
        data: { custom_id: data, component_type: 2 },
        message: state.wireMessage(message, server.origin),
      });
    },
    command: (channelId, name, options = [], by = person("ann")) =>
      act(channelId, by, { type: COMMAND, data: { id: state.newId(), name, type: 1, options } }),
    expireInteractions() {
      for (const interaction of state.interactions.values()) interaction.isExpired = true;
    },
    answered: (interactionId) =>
      [...state.interactions.values()].find(({ id }) => id === interactionId)?.answered,
  };
  return mock;
}
