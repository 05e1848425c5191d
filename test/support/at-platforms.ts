import { vi } from "vitest";
import type { Platform } from "#src/channels/channel.ts";
import type { ApiClient } from "./api-client.ts";
import { PATIENCE } from "./connected-channels.ts";
import type { DiscordMock, DiscordUser } from "./platforms/discord.ts";
import type { SignalBridge, SignalPerson } from "./platforms/signal.ts";
import type { SlackMock, SlackUser } from "./platforms/slack.ts";
import type { Whatsapp, WhatsappWriting } from "./platforms/whatsapp.ts";
import { newTaskClient, type TaskClient } from "./task-client.ts";
import type { ChannelMessageView, ChannelView } from "./telegram-channel.ts";

/** A chat that the bot is in, as one person uses it. */
export interface ChatThere {
  /** Writes to the bot: in a group with its mention. A webhook that does not return 200 is a broken test. */
  say(text: string): Promise<void>;
  /** Texts of the bot that people read there now, in order. */
  shown(): readonly string[];
  /** Allows once what the bot asks for in its newest question: by its button, where the platform has buttons. */
  allow(): Promise<void>;
}

/** A person who uses the platform. */
export interface PersonThere {
  /** The private chat with the bot. */
  dm: ChatThere;
  /** What the person begins in a new group, in its own thread where the platform has threads; WhatsApp has no groups. */
  group?: () => ChatThere;
}

/** A platform with a bot, as its people and the owner of a channel use it. */
interface BotThere {
  platform: Platform;
  /** What the owner of the channel enters. */
  wish: { credentials: object; inbound_mode?: "connection" | "webhook" };
  /** Resolves when messages arrive at the channel. */
  connect(channel: ChannelView): Promise<void>;
  newPerson(): PersonThere;
}

/** Names and numbers that no test shares with another. */
let people = 0;
const next = (prefix: string) => `${prefix}${(people += 1)}`;

/** The first button of the newest question, of those that have buttons. */
function asked<Message, Button>(messages: readonly Message[], buttonsOf: (message: Message) => Button[]) {
  const message = messages.findLast((each) => buttonsOf(each).length > 0);
  const [button] = message ? buttonsOf(message) : [];
  if (!message || !button) throw new Error("Nothing is asked for");
  return { message, button };
}

/** Discord, with a bot that is connected to its gateway. */
export function botAtDiscord(discord: DiscordMock): BotThere {
  const chatOf = (author: DiscordUser, channelId: string, mention: string): ChatThere => ({
    async say(text) {
      discord.say({ channelId, text: mention + text, author });
    },
    shown: () => discord.sent(channelId).map(({ content }) => content),
    async allow() {
      const buttonsOf = ({ components }: ReturnType<typeof discord.sent>[number]) =>
        components.flatMap((row) => row.components);
      const { message, button } = asked(discord.sent(channelId), buttonsOf);
      await discord.press(message.id, button.custom_id, author);
    },
  });
  return {
    platform: "discord",
    wish: { credentials: discord.credentials, inbound_mode: "connection" },
    connect: () => vi.waitUntil(() => discord.listening > 0, PATIENCE).then(() => undefined),
    newPerson() {
      const author = discord.person(next("person"));
      return {
        dm: chatOf(author, discord.directChannel(author), ""),
        group: () => chatOf(author, discord.addChannel(), `<@${discord.bot.id}> `),
      };
    },
  };
}

/** Signal, with a bridge that hands messages over by a WebSocket. */
export function botAtSignal(bridge: SignalBridge): BotThere {
  const { account: mentioned } = bridge;
  function chatOf(person: SignalPerson, group?: ReturnType<SignalBridge["newGroup"]>): ChatThere {
    const write = async (text: string) => {
      const inGroup = group && { text: `\uFFFC ${text}`, groupId: group.groupId, mentioned };
      bridge.write(person, { text, ...inGroup });
    };
    const sent = () => bridge.sent.filter(({ recipient }) => recipient === (group?.recipient ?? person.uuid));
    return {
      say: write,
      shown: () => sent().map(({ text }) => text),
      allow: () => write("/approve"),
    };
  }
  return {
    platform: "signal",
    wish: { credentials: { signal_cli_url: bridge.url, phone_number: bridge.account.number } },
    connect: () => bridge.listened(),
    newPerson() {
      const person = bridge.newPerson("Ann", next("+4915770000"));
      return { dm: chatOf(person), group: () => chatOf(person, bridge.newGroup()) };
    },
  };
}

/** Slack, with a bot whose events come by webhook. */
export function botAtSlack(slack: SlackMock): BotThere {
  const { bot_token, signing_secret } = slack.credentials;
  function chatOf(author: SlackUser, channelId: string): ChatThere {
    const isDirect = channelId.startsWith("D");
    let threadTs: string | undefined;
    const sent = () => slack.sent(channelId, threadTs);
    async function say(text: string): Promise<void> {
      const said = isDirect ? text : `<@${slack.bot.id}> ${text}`;
      const thread = threadTs === undefined ? {} : { threadTs };
      const { ts, answers } = await slack.say({ channelId, text: said, author, ...thread });
      const refused = answers.find((answer) => answer !== undefined && answer.status !== 200);
      if (refused) throw new Error(`The webhook returned ${refused.status}: ${refused.body}`);
      if (!isDirect) threadTs ??= ts;
    }
    return {
      say,
      shown: () => sent().map(({ text }) => text),
      async allow() {
        const buttonsOf = ({ blocks }: ReturnType<typeof sent>[number]) =>
          blocks.flatMap(({ elements = [] }) => elements);
        const { message, button } = asked(sent(), buttonsOf);
        await slack.press(message, button.value, author);
      },
    };
  }
  return {
    platform: "slack",
    wish: { credentials: { bot_token, signing_secret } },
    async connect({ webhook_url: url }) {
      slack.webhookUrl = url ?? undefined;
    },
    newPerson() {
      const author = slack.person(next("PERSON"));
      const channelId = author.id.replace(/^U/u, "D");
      slack.addChannel(channelId);
      return { dm: chatOf(author, channelId), group: () => chatOf(author, next("C0GROUP")) };
    },
  };
}

/** WhatsApp, with the number of a business. */
export function botAtWhatsapp(whatsapp: Whatsapp): BotThere {
  let webhook = "";
  return {
    platform: "whatsapp",
    wish: { credentials: whatsapp.credentials },
    async connect({ webhook_url: url }) {
      webhook = url ?? "";
    },
    newPerson() {
      const number = next("4915770000");
      const person = whatsapp.newPerson(`Person ${number}`, { number });
      const sent = () => whatsapp.sent.filter(({ to }) => to === number);
      async function write(writing: WhatsappWriting): Promise<void> {
        const messages = [whatsapp.write(person, writing)];
        const { status } = await whatsapp.deliver(webhook, { messages });
        if (status !== 200) throw new Error(`The webhook returned ${status}`);
      }
      const dm: ChatThere = {
        say: (text) => write({ text }),
        shown: () => sent().map(({ text }) => text),
        async allow() {
          const { message, button } = asked(sent(), ({ buttons }) => buttons);
          await write({ button, replyTo: message.id });
        },
      };
      return { dm };
    },
  };
}

/** A channel of a new account, at a platform whose messages arrive. */
export interface ChannelThere {
  bot: BotThere;
  client: TaskClient;
  channel: ChannelView;
  /** Links the person who was sent this code to an account: the channel owner's, or another's. Returns the status. */
  verify(code: string, token?: string): Promise<number>;
  /** A new person who is linked to the channel owner's account. */
  paired(): Promise<PersonThere>;
  /** The channel's messages, oldest first. */
  messages(): Promise<ChannelMessageView[]>;
}

/** Makes a channel and has its messages arrive. */
export async function newChannelThere(service: ApiClient, bot: BotThere): Promise<ChannelThere> {
  const client = await newTaskClient(service);
  const { token } = client.account;
  const made = await service.call<ChannelView>("POST", "/api/channels", {
    token,
    json: { channel_type: bot.platform, project_id: client.projectId, ...bot.wish },
  });
  if (made.status !== 200) throw new Error(`No channel: ${made.text}`);
  if (made.body.last_error !== null) throw new Error(made.body.last_error);
  await bot.connect(made.body);
  const verify: ChannelThere["verify"] = async (code, as = token) => {
    const json = { platform: bot.platform, pairing_code: code };
    return (await service.call("POST", "/api/gateway/pair/verify", { token: as, json })).status;
  };
  return {
    bot,
    client,
    channel: made.body,
    verify,
    async paired() {
      const person = bot.newPerson();
      await person.dm.say("hello");
      const status = await verify(await codeIn(person.dm));
      if (status !== 200) throw new Error(`Not paired: ${status}`);
      await told(person.dm, "Your account is linked.");
      return person;
    },
    async messages() {
      const path = `/api/channels/${made.body.id}/messages?limit=200`;
      const { body } = await service.call<ChannelMessageView[]>("GET", path, { token });
      return body.toReversed();
    },
  };
}

/** Waits until the bot wrote a text with this in it, and returns the text. */
export async function told({ shown }: Pick<ChatThere, "shown">, part: string | RegExp): Promise<string> {
  return vi.waitFor(() => {
    const found = shown().find((text) => (part instanceof RegExp ? part.test(text) : text.includes(part)));
    if (found === undefined) throw new Error(`The bot wrote no ${part}, but ${JSON.stringify(shown())}`);
    return found;
  }, PATIENCE);
}

const CODE = /\b[A-HJ-NP-Z2-9]{8}\b/u;

/** The pairing code that the bot told a person. */
export async function codeIn(chat: Pick<ChatThere, "shown">): Promise<string> {
  return CODE.exec(await told(chat, CODE))?.[0] ?? "";
}
