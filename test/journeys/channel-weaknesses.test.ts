/**
 * How messaging gateways are known to fail, and the tests that hold this one to better. Paths are below `test/`; where there
 * is none, the test is below. Rows about schedules are not here: there are none yet.
 *
 * | Weakness | Test |
 * | --- | --- |
 * | Webhooks are refused as forged requests of a browser | journeys/channels-at-platforms: a request to a webhook |
 * | Strangers run the owner's agent | journeys/channels-at-platforms: a stranger; journeys/telegram-channel |
 * | Dangerous tools run unasked | journeys/channels-at-platforms: asks one person before a call |
 * | Missing or wrong signatures pass | journeys/channels-at-platforms: a request to a webhook; below for Telegram |
 * | Credentials without the secret that signatures need | journeys/channels: half of the credentials |
 * | A session is stuck after a failure or an empty reply | below; domain/messaging/session for interleavings |
 * | A session is stuck while an approval waits | journeys/telegram-channel: a linked person |
 * | What waits is lost in a crash, or has no bound | crash/channels; domain/messaging/session |
 * | A chat is dead after a day of silence | below |
 * | Another tenant's person works in the owner's project | journeys/telegram-channel: of another tenant |
 * | A channel without a project drops messages, and gets none | below |
 * | Replies to webhooks are not delivered; each message is a new chat | journeys/channels-at-platforms; below |
 * | Failed sends count as delivered, are not repeated, are repeated twice | journeys/channels-at-platforms: sends a reply again |
 * | Long replies are cut | journeys/channels-at-platforms: a long answer with code |
 * | Markup is broken, and the reply is lost with it | channels/rendering; channels/telegram/failures: plain text |
 * | Threads are ignored | journeys/channels-at-platforms: in the thread of the question; below for topics |
 * | Deferred interactions are never answered | journeys/channels-at-platforms: Discord |
 * | Redeliveries run twice; only the first message of a batch is read | journeys/channels-at-platforms: Slack, WhatsApp |
 * | Signal: one way of receiving, 201 is a failure, no groups | journeys/connections: in the mode; channels/signal/api |
 * | A change of credentials does not reconnect; first failures are final; shards are empty | journeys/connections, gateway; durable-objects/gateway-shard |
 * | Refused input leaves credentials in the log | journeys/channels: the log holds none of the secrets |
 * | Anyone may press a button | journeys/channels-at-platforms: lets no one without rights |
 * | Pairing codes can be guessed, tell when they expired, or collide | domain/messaging/identities; journeys/attempts |
 * | Two bots of one platform are mixed up | below |
 * | The state of the gateway is public, and one for all shards | journeys/gateway |
 * | Voice is not read, pictures are dropped | journeys/channel-media; journeys/channels-at-platforms: voice and pictures |
 * | Files are fetched from anywhere, of any size | domain/messaging/media; channels/telegram/failures: a download |
 * | Limits count addresses instead of channels, or calls instead of events | attacks/floods; journeys/channels-at-platforms: WhatsApp |
 * | Commands and buttons of a connected channel vanish | journeys/channels-at-platforms: Discord, also while the bot is connected |
 * | `/start` and unknown commands are swallowed | below |
 * | The line that tells of a failure deletes itself | below: told that it failed, in a message of its own |
 */
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { channelSessions } from "#src/db/schema/index.ts";
import type { PersonsChat, ShownChat } from "#test/support/chat-platform.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { script } from "#test/support/task-client.ts";
import { type ChannelView, codeIn, newTelegramChannel } from "#test/support/telegram-channel.ts";

const service = sharedService();
const says = (text: string) => script({ text });

const textsOf = ({ messages }: ShownChat) =>
  messages.filter(({ message }) => message.from.is_bot).map(({ message }) => message.text ?? "");

/** Waits until the bot wrote a text with this in it, and returns all of its texts. */
const told = (chat: PersonsChat, part: string) =>
  chat.until((shown) => {
    const texts = textsOf(shown);
    return texts.some((text) => text.includes(part)) ? texts : undefined;
  });

describe("a webhook of Telegram", () => {
  it("takes nothing without the secret that Telegram was given", async () => {
    const telegram = await newTelegramChannel(service, { inbound_mode: "webhook" });
    const address = new URL(telegram.channel.webhook_url ?? "");
    const json = { update_id: 1 };
    const post = async (query: string, headers: Record<string, string>) =>
      (await service.call("POST", address.pathname + query, { json, headers })).status;
    for (const query of ["", address.search]) {
      expect(await post(query, {})).toBe(401);
      expect(await post(query, { "x-telegram-bot-api-secret-token": "0".repeat(64) })).toBe(401);
    }
    const { chat } = await telegram.paired();
    await chat.say(says("By webhook."));
    expect(await told(chat, "By webhook.")).toContain("By webhook.");
  });
});

describe("a conversation", () => {
  it("goes on after work that failed, and after a reply without a text", async () => {
    const { chat } = await (await newTelegramChannel(service)).paired();
    await chat.say(script({ error: { status: 400 } }));
    await told(chat, "The work failed: ");
    await chat.say(says(""));
    await told(chat, "ended its work without a word");
    await chat.say(says("Still here."));
    const texts = await told(chat, "Still here.");
    expect(texts.filter((text) => text.startsWith("The work failed: "))).toHaveLength(1);
  });

  it("is one chat, until a day of silence begins the next", async () => {
    const telegram = await newTelegramChannel(service);
    const db = databaseOf(service);
    const ofChannel = eq(channelSessions.channelConfigId, telegram.channel.id);
    const { chat } = await telegram.paired();
    const chatAfter = async (text: string) => {
      await chat.say(says(text));
      await told(chat, text);
      const [session] = await db.select().from(channelSessions).where(ofChannel);
      return session?.chatId;
    };
    const chats = [await chatAfter("One."), await chatAfter("Two.")];
    for (const text of ["Three.", "Four."]) {
      const aDayAgo = sql`now() - interval '25 hours'`;
      await db.update(channelSessions).set({ lastActiveAt: aDayAgo }).where(ofChannel);
      chats.push(await chatAfter(text));
    }
    expect(chats[1]).toBe(chats[0]);
    expect(new Set(chats).size).toBe(3);
  });

  it("has its own thread in each topic of a group", async () => {
    const telegram = await newTelegramChannel(service, { group_mode: "all" });
    const { platform, botId } = telegram;
    const { id } = await telegram.paired();
    const group = await platform.group("Topics", [id]);
    const chat = platform.chat(botId, group.id, id);
    await Promise.all([11, 12].map((topic) => chat.say(says(`In topic ${topic}.`), { topic })));
    for (const topic of [11, 12]) {
      await told(chat, `In topic ${topic}.`);
      const { messages } = await chat.read();
      const reply = messages.find(({ message }) => message.text === `In topic ${topic}.`);
      expect(reply?.message.message_thread_id).toBe(topic);
    }
  });

  it("hears of /start, and hands unknown commands to the agent", async () => {
    const { chat } = await (await newTelegramChannel(service)).paired();
    const before = textsOf(await chat.read()).length;
    await chat.say("/start");
    await chat.until((shown) => (textsOf(shown).length > before ? true : undefined));
    await chat.say(`/dance ${says("Danced.")}`);
    expect(await told(chat, "Danced.")).toContain("Danced.");
  });
});

describe("a channel", () => {
  it("without a project works in the person's own workspace, until it gets one", async () => {
    const telegram = await newTelegramChannel(service, { project_id: null });
    const { client, channel } = telegram;
    const { token } = client.account;
    const { chat } = await telegram.paired();
    const projectAfter = async (text: string) => {
      await chat.say(says(text));
      await told(chat, text);
      const taskId = (await telegram.messages()).findLast(({ task_id }) => task_id !== null)?.task_id ?? "";
      return (await client.status(taskId)).project_id;
    };
    const workspace = await projectAfter("Without.");
    expect(workspace).not.toBe(client.projectId);
    const json = { project_id: client.projectId };
    expect((await service.call("PATCH", `/api/channels/${channel.id}`, { token, json })).status).toBe(200);
    expect(await projectAfter("With.")).toBe(client.projectId);
  });

  it("answers by its own bot a person who writes to two", async () => {
    const telegram = await newTelegramChannel(service);
    const { client, platform, botId } = telegram;
    const { token } = client.account;
    const wish = {
      channel_type: "telegram",
      credentials: { bot_token: `standin:${crypto.randomUUID()}` },
      project_id: client.projectId,
    };
    const { body: other } = await service.call<ChannelView>("POST", "/api/channels", { token, json: wish });
    const bots = await platform.ask<{ id: number; username: string }[]>("/bots");
    const otherId = bots.find(({ username }) => username === other.bot_name)?.id ?? 0;
    const { id } = await telegram.paired();
    const chats = [botId, otherId].map((bot) => platform.chat(bot, id, id));
    // The link counts in the first bot's channel; in the other one the person is a stranger who gets a code.
    await chats[1]?.say("hello");
    const entered = await telegram.verify(await codeIn(platform.chat(otherId, id, id)));
    expect(entered.status).toBe(200);
    await Promise.all(chats.map((chat, index) => chat.say(says(`From bot ${index}.`))));
    for (const [index, chat] of chats.entries()) {
      const texts = await told(chat, `From bot ${index}.`);
      expect(texts.join()).not.toContain(`From bot ${1 - index}.`);
    }
  });
});
