/**
 * How messaging gateways are known to fail, and the tests that hold this one to better. Paths are below `test/`; where there
 * is none, the test is below.
 *
 * | Weakness | Test |
 * | --- | --- |
 * | Webhooks are refused as forged requests of a browser | attacks/csrf: take requests of any origin |
 * | Strangers run the owner's agent | journeys/channels-at-platforms: a stranger; below |
 * | Dangerous tools run unasked | journeys/channels-at-platforms: asks one person before a call |
 * | Missing or wrong signatures pass | channels/slack, discord, whatsapp; domain/conversations/sessions: another secret |
 * | Credentials without the secret that signatures need | journeys/channels: half of the credentials |
 * | A session is stuck after a failure or an empty reply | below; domain/messaging/session for interleavings |
 * | A session is stuck while an approval waits | below: a linked person |
 * | What waits is lost in a crash, or has no bound | crash/kill; domain/messaging/session |
 * | A chat is dead after a day of silence | below |
 * | Another tenant's person works in the owner's project | attacks/senders: does nothing in a project |
 * | A channel without a project drops messages, and gets none | below |
 * | Replies to webhooks are not delivered; each message is a new chat | journeys/channels-at-platforms; below |
 * | Failed sends count as delivered, are not repeated, are repeated twice | channels/api-contract; domain/messaging/deliver-message, agent-messages |
 * | Long replies are cut | channels/api-contract: once and whole, and in its order |
 * | Markup is broken, and the reply is lost with it | channels/rendering; channels/telegram/failures: plain text |
 * | Threads are ignored | journeys/channels-at-platforms: in the thread of the question; channels/telegram/api: a topic |
 * | Deferred interactions are never answered | journeys/channels-at-platforms: Discord |
 * | Redeliveries run twice; only the first message of a batch is read | journeys/channels-at-platforms: WhatsApp; domain/messaging/session |
 * | Signal: one way of receiving, 201 is a failure, no groups | channels/signal/connection and api |
 * | A change of credentials does not reconnect; first failures are final; shards are empty | journeys/connections, gateway; durable-objects/gateway-shard |
 * | Refused input leaves credentials in the log | journeys/channels: the log holds none of the secrets |
 * | Anyone may press a button | journeys/channels-at-platforms: lets no one without rights |
 * | Pairing codes can be guessed, tell when they expired, or collide | domain/messaging/identities |
 * | Two bots of one platform are mixed up | attacks/senders: in this very channel |
 * | The state of the gateway is public, and one for all shards | journeys/gateway |
 * | Voice is not read, pictures are dropped | below; domain/messaging/media |
 * | Files are fetched from anywhere, of any size | domain/messaging/media; channels/telegram/failures: a download |
 * | Limits count addresses instead of channels, or calls instead of events | attacks/floods; journeys/channels-at-platforms: WhatsApp |
 * | Commands and buttons of a connected channel vanish | journeys/channels-at-platforms: Discord, also while the bot is connected |
 * | `/start` and unknown commands are swallowed | below |
 * | The line that tells of a failure deletes itself | below: goes on after work that failed; domain/messaging/progress |
 */
import { eq, sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { channelEvents, channelSessions } from "#src/db/schema/index.ts";
import type { PersonsChat, ShownChat } from "#test/support/chat-platform.ts";
import { databaseOf } from "#test/support/database.ts";
import { png } from "#test/support/pictures.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script, UNTIL_GO } from "#test/support/task-client.ts";
import { newTelegramChannel } from "#test/support/telegram-channel.ts";

const service = sharedService();
const telegram = await newTelegramChannel(service);

const textsOf = ({ messages }: ShownChat, botId = telegram.botId) =>
  messages.filter(({ message }) => message.from.id === botId).map(({ message }) => message.text ?? "");

/** What the bot writes, once one of its texts has this in it. */
const told = (chat: PersonsChat, part: string) =>
  chat.until((shown) => textsOf(shown).find((text) => text.includes(part)));

const says = (text: string) => script({ text });
const bytesOf = (text: string) => Uint8Array.from(new TextEncoder().encode(text));

const PIXEL = Uint8Array.from(png(1, 1));

it("a person who is not linked to an account gets no code in a group, where others would read it", async () => {
  const { id } = await telegram.stranger();
  const group = await telegram.platform.group("Friends", [id]);
  const chat = telegram.platform.chat(telegram.botId, group.id, id);
  const name = telegram.channel.bot_name ?? "";
  await chat.say("no word to the bot");
  await chat.say(`@${name} hello`);
  await told(chat, "in private");
  await chat.say(`@${name} hello again`);
  const texts = textsOf(await chat.read());
  expect(texts).toHaveLength(1);
  expect(texts.join()).not.toMatch(/\b[A-HJ-NP-Z2-9]{8}\b/u);
});

describe("a linked person", () => {
  it("is answered in one conversation; what is written while the agent works is the next message", async () => {
    const { chat } = await telegram.paired();
    await chat.say(script({ tools: [call("bash_exec", { command: UNTIL_GO })] }, { text: "Slept." }));
    await told(chat, "May the agent use");
    await chat.say("allow once");
    await chat.say(says("Second."));
    await chat.say("third");
    const ofChannel = eq(channelEvents.channelConfigId, telegram.channel.id);
    await vi.waitFor(async () => {
      const stored = await databaseOf(service)
        .select()
        .from(channelEvents)
        .where(ofChannel)
        .orderBy(channelEvents.id);
      expect(JSON.stringify(stored)).toMatch(/Second\..*third/u);
    });
    const { projectId, account } = telegram.client;
    const go = `/api/projects/${projectId}/files/go.txt`;
    await service.call("PUT", go, { token: account.token, json: { content: "" } });
    await told(chat, "Second.");
    const texts = textsOf(await chat.read()).join("\n");
    expect(texts.indexOf("Slept.")).toBeLessThan(texts.indexOf("Second."));
    const inbound = (await telegram.messages()).filter(({ direction }) => direction === "inbound");
    const [slept, second, third] = inbound.slice(-3);
    expect([second?.content, third?.content]).toEqual([says("Second."), "third"]);
    expect(third?.task_id).toBe(second?.task_id);
    expect(second?.task_id).not.toBe(slept?.task_id);
  });

  it("sees in one line what the agent does for long, until its work ends", async () => {
    const { chat } = await telegram.paired();
    await chat.say(script({ tools: [call("list_dir", { path: "" })] }, { text: "Thinking", stall: true }));
    await told(chat, "list_dir");
    await chat.say("/stop");
    const left = await chat.until((shown) => {
      const texts = textsOf(shown);
      return texts.some((text) => text.includes("list_dir")) ? undefined : texts;
    });
    expect(left.join("\n")).not.toContain("list_dir");
  });

  it("denies a call by a command, and asks the service what it knows", async () => {
    const { chat } = await telegram.paired();
    await chat.say(
      script(
        { tools: [call("write_file", { path: "denied.txt", content: "no" })] },
        { text: "Not written." },
      ),
    );
    await told(chat, "May the agent use");
    await chat.say("/status");
    await told(chat, "Needs your input: write_file");
    await chat.say("/deny");
    await told(chat, "Denied: write_file");
    await told(chat, "Not written.");
    await chat.say("/whoami");
    await told(chat, telegram.client.account.email);
    await chat.say("/help");
    await told(chat, "/sethome");
    await chat.say("/new");
    await told(chat, "A new conversation");
    const path = `/api/projects/${telegram.client.projectId}/files/denied.txt`;
    expect(await service.call("GET", path, { token: telegram.client.account.token })).toMatchObject({
      status: 404,
    });
  });
});

it("a person's files reach the model: a voice message as its text, pictures, and documents as files of the project", async () => {
  const { chat } = await telegram.paired();
  const voice = says("I heard every word.");
  await chat.sendFile({
    kind: "voice",
    filename: "voice.oga",
    mimeType: "audio/ogg",
    bytes: bytesOf(voice),
  });
  await told(chat, "I heard every word.");
  expect((await telegram.messages()).some(({ content }) => content === voice)).toBe(true);
  const photo = { kind: "photo", filename: "photo.png", mimeType: "image/png", bytes: PIXEL } as const;
  await chat.sendFile({ ...photo, caption: says("Pictures: {pictures}.") });
  await told(chat, "Pictures: 1.");
  const notes = { kind: "document", filename: "notes.txt", mimeType: "text/plain" } as const;
  await chat.sendFile({ ...notes, bytes: bytesOf(says("I read the notes.")) });
  await told(chat, "I read the notes.");
  const { projectId, account } = telegram.client;
  const { text } = await service.call("GET", `/api/projects/${projectId}/files/tree`, account);
  expect(text).toMatch(/[0-9a-f]{64}-notes\.txt/u);
});

describe("a conversation", () => {
  it("goes on after work that failed, and after a reply without a text", async () => {
    const { chat } = await telegram.paired();
    await chat.say(script({ error: { status: 400 } }));
    await told(chat, "The work failed: ");
    await chat.say(says(""));
    await told(chat, "ended its work without a word");
    await chat.say(says("Still here."));
    await told(chat, "Still here.");
    const texts = textsOf(await chat.read());
    expect(texts.filter((text) => text.startsWith("The work failed: "))).toHaveLength(1);
  });

  it("is one chat, until a day of silence begins the next", async () => {
    const other = await newTelegramChannel(service);
    const db = databaseOf(service);
    const ofChannel = eq(channelSessions.channelConfigId, other.channel.id);
    const { chat } = await other.paired();
    const chatAfter = async (text: string) => {
      await chat.say(says(text));
      await chat.until((shown) => textsOf(shown, other.botId).find((each) => each === text));
      const [session] = await db.select().from(channelSessions).where(ofChannel);
      return session?.chatId;
    };
    const chats = [await chatAfter("One."), await chatAfter("Two.")];
    const aDayAgo = sql`now() - interval '25 hours'`;
    await db.update(channelSessions).set({ lastActiveAt: aDayAgo }).where(ofChannel);
    const next = await chatAfter("Three.");
    expect(chats[1]).toBe(chats[0]);
    expect(next).not.toBe(chats[0]);
  });

  it("hears of /start, and hands unknown commands to the agent", async () => {
    const { chat } = await telegram.paired();
    await told(chat, "Your account is linked.");
    const before = textsOf(await chat.read()).length;
    await chat.say("/start");
    await chat.until((shown) => (textsOf(shown).length > before ? true : undefined));
    await chat.say(`/dance ${says("Danced.")}`);
    expect(await told(chat, "Danced.")).toBe("Danced.");
  });
});

it("a channel without a project works in the person's own workspace, until it gets one", async () => {
  const other = await newTelegramChannel(service, { project_id: null });
  const { client, channel } = other;
  const { token } = client.account;
  const { chat } = await other.paired();
  const projectAfter = async (text: string) => {
    await chat.say(says(text));
    await chat.until((shown) => textsOf(shown, other.botId).find((each) => each === text));
    const taskId = (await other.messages()).findLast(({ task_id }) => task_id !== null)?.task_id ?? "";
    return (await client.status(taskId)).project_id;
  };
  const workspace = await projectAfter("Without.");
  expect(workspace).not.toBe(client.projectId);
  const json = { project_id: client.projectId };
  expect((await service.call("PATCH", `/api/channels/${channel.id}`, { token, json })).status).toBe(200);
  expect(await projectAfter("With.")).toBe(client.projectId);
});
