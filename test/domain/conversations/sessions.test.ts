import { and, eq, isNull, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { telegram } from "#src/channels/telegram/index.ts";
import { channelEvents } from "#src/db/schema/index.ts";
import { advanceLeft, advanceSessions } from "#src/domain/conversations/sessions/index.ts";
import { recentMessages } from "#src/domain/conversations/sessions/queries/sessions.ts";
import {
  eventsLeft,
  eventsReceived,
  receiveEvents,
  receiveWebhook,
} from "#src/domain/messaging/inbox/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { Services } from "#src/services.ts";
import { openConversation } from "#src/domain/conversations/sessions/queries/events.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { CONVERSATION_PARTS, privateMessage } from "#test/domain/messaging/support/conversation-parts.ts";
import { MediaWorld } from "#test/domain/messaging/support/media-world.ts";
import { PlatformRows } from "#test/domain/messaging/support/people-of-platforms.ts";

const database = await fileDatabase();
const rows = new PlatformRows(database.db);

/** The database, where something happens after so many batches of statements, before their caller learns their results. */
function afterBatch(count: number, act: () => Promise<unknown>): Db {
  let batches = 0;
  return new Proxy(database.db, {
    get(db, name) {
      if (name !== "batch") return Reflect.get(db, name, db);
      return async (...statements: Parameters<Db["batch"]>) => {
        const results = await db.batch(...statements);
        batches += 1;
        if (batches === count) await act();
        return results;
      };
    },
  });
}

it("a message goes on in the chat that another advance of its session has begun meanwhile", async () => {
  const world = await MediaWorld.open(database.db);
  const [second, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let advance: Promise<unknown> | undefined;
  // The second advance reads the session before the first has a chat, and chooses its message after it.
  const slow = afterBatch(1, () => {
    second.resolve();
    return begun.promise;
  });
  const first = afterBatch(1, async () => {
    await world.receive("Two");
    advance = world.advance({ ...world.deps, db: slow });
    await second.promise;
  });
  await world.receive("One");
  await world.advance({ ...world.deps, db: first });
  begun.resolve();
  await advance;
  const [one, two, ...others] = await world.tasks();
  expect([one?.message, two?.message, others]).toEqual(["One", "Two", []]);
  expect(two?.chatId).toBe(one?.chatId);
});

const dead = async () => {
  throw new AppError("unavailable", "The process is dead");
};

/**
 * A person with a chat, whose next message, "One", was stored as a task a minute ago, by a process that died before it had the
 * task begun.
 */
async function interrupted(): Promise<MediaWorld> {
  const world = await MediaWorld.open(database.db);
  await world.say("Before");
  const [before] = await world.tasks();
  await world.finish(before?.id ?? "", "Done");
  await world.receive("One");
  const { queue, taskLogs } = world.deps;
  const deps = {
    ...world.deps,
    queue: { ...queue, publish: dead },
    taskLogs: { ...taskLogs, launch: dead },
  };
  await expect(world.advance(deps)).rejects.toThrow("The process is dead");
  await database.db
    .update(channelEvents)
    .set({ createdAt: sql`created_at - interval '1 minute'` })
    .where(eq(channelEvents.channelConfigId, world.at.channel.id));
  return world;
}

it("a task that was stored and not begun is begun by the next advance of its session", async () => {
  const world = await interrupted();
  const launched: string[] = [];
  const launch = async (taskId: string) => void launched.push(taskId);
  await world.advance({ ...world.deps, taskLogs: { ...world.deps.taskLogs, launch } });
  const [, one, ...others] = await world.tasks();
  expect(others).toEqual([]);
  expect(launched).toEqual([one?.id]);
});

it("a message goes on behind one whose interrupted task is over", async () => {
  const world = await interrupted();
  await world.receive("Two");
  const [, one] = await world.tasks();
  await world.finish(one?.id ?? "", "Done");
  await world.advance();
  expect((await world.tasks()).map(({ message }) => message)).toEqual(["Before", "One", "Two"]);
});

it("a session that fails is published alone, and the others of its batch are handled once", async () => {
  const { deps, at } = await MediaWorld.open(database.db);
  const { channel } = at;
  const published: QueueMessage[] = [];
  const publishBatch = async (messages: readonly QueueMessage[]) => void published.push(...messages);
  const queue = { ...deps.queue, publish: (message: QueueMessage) => publishBatch([message]), publishBatch };
  const people = Array.from({ length: 12 }, (_, index) => `${at.senderId}-${index}`);
  const broken = people[3] ?? "";
  const written = people.map((id) => privateMessage(id, 1, { text: "hello" }));
  await receiveEvents({ ...deps, queue }, channel, written);
  const [batch, ...others] = published.splice(0).map(({ payload }) => eventsReceived.message.parse(payload));
  if (!batch) throw new Error("Nothing was published");
  expect(others).toEqual([]);
  expect(batch.sessions).toHaveLength(people.length);

  let now = 0;
  let most = 0;
  const config = { ...deps.config, GATEWAY_PAIRING_MAX_PENDING: 100 };
  const { telegram: platform } = deps.channels;
  const api = () => ({
    ...platform.api({}, deps.apiEnvironment),
    async send({ place }: { place: { chatId: string } }) {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      if (place.chatId === broken) throw new TypeError("It is broken");
      return { messageId: "1" };
    },
  });
  const failing = { ...deps, config, queue, channels: { ...deps.channels, telegram: { ...platform, api } } };
  expect(await advanceSessions(failing, batch)).toBeUndefined();
  expect(most).toBeLessThanOrEqual(8);
  const open = await database.db
    .select({ senderId: channelEvents.senderId })
    .from(channelEvents)
    .where(and(eq(channelEvents.channelConfigId, channel.id), isNull(channelEvents.handledAt)));
  expect(open).toEqual([{ senderId: broken }]);

  const [again, ...more] = published;
  expect(more).toEqual([]);
  expect(again).toMatchObject({ function: "receive-message", shareOf: channel.userId });
  const alone = eventsReceived.message.parse(again?.payload);
  expect(alone.sessions.map(({ senderId }) => senderId)).toEqual([broken]);
  // Alone it fails as any message of the queue does, which has its own retries.
  await expect(advanceSessions(failing, alone)).rejects.toThrow("It is broken");
});

it("what its receiver left is handled by the channel's net, but for what has just come", async () => {
  const { deps, at } = await MediaWorld.open(database.db);
  const { channel } = at;
  const published: QueueMessage[] = [];
  const queue = {
    ...deps.queue,
    publish: async (message: QueueMessage) => void published.push(message),
    publishBatch: async () => {},
  };
  const [early, late] = [`${at.senderId}-early`, `${at.senderId}-late`];
  const receive = (id: string) =>
    receiveEvents({ ...deps, queue }, channel, [privateMessage(id, 1, { text: "hello" })]);
  const ofEarly = and(eq(channelEvents.channelConfigId, channel.id), eq(channelEvents.senderId, early));
  await receive(early);
  await database.db
    .update(channelEvents)
    .set({ createdAt: sql`now() - interval '10 seconds'` })
    .where(ofEarly);
  await receive(late);
  const { net } = published[0] ?? {};
  expect(net).toMatchObject({ function: "receive-left", shareOf: channel.userId });
  await advanceLeft({ ...deps, queue }, eventsLeft.message.parse(net?.payload));
  const open = await database.db
    .select({ senderId: channelEvents.senderId })
    .from(channelEvents)
    .where(and(eq(channelEvents.channelConfigId, channel.id), isNull(channelEvents.handledAt)));
  expect(open).toEqual([{ senderId: late }]);
});

it("a webhook's address with another secret than the channel's is refused, though the platform's signature is right", async () => {
  const { id: channelId } = await rows.channel(await rows.person(), {
    encryptedCredentials: JSON.stringify({ bot_token: "1:token" }),
    botId: "1",
    provedAt: new Date(),
    inboundMode: "webhook",
  });
  const deps = partOf<Services>({
    ...CONVERSATION_PARTS,
    db: database.db,
    queue: { publish: async () => {} },
    channels: { telegram: { ...telegram, handshake: () => undefined, verify: async () => true } },
    config: { GATEWAY_ENABLED: true },
  });
  const request = {
    method: "POST" as const,
    headers: new Headers(),
    query: new URLSearchParams(),
    body: Uint8Array.from(new TextEncoder().encode('{"update_id":1}')),
  };
  const call = (secret?: string) => receiveWebhook(deps, { type: "telegram", channelId, secret }, request);
  await expect(call("an earlier secret")).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(call("")).rejects.toMatchObject({ code: "unauthenticated" });
  expect(await call("secret")).toEqual({ empty: true });
  expect(await call()).toEqual({ empty: true });
});

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);

it("an agent is told the last two messages of the three chats that were active last", async () => {
  const person = await rows.person();
  const inTelegram = await rows.channel(person);
  const slack = await rows.channel(person, { channelType: "slack" });
  const at = async (hours: number, said: readonly string[], channel = inTelegram) => {
    const agentChat = await rows.chat(person, said);
    return rows.session(person, channel, { chatId: newId(), agentChat, lastActiveAt: ago(hours) });
  };
  await at(4, ["The fourth", "Is too many"]);
  await at(3, ["Open question"]);
  await at(2, ["First", "Then", "Last question", "x".repeat(600)]);
  await at(1, ["In Slack", "Answered", "Failed", ""], slack);
  const sessionId = await at(0, ["The session's own", "Is not for itself"]);
  expect(await recentMessages(database.db, { userId: person.id, sessionId })).toEqual([
    { platform: "telegram", role: "user", text: "Open question" },
    { platform: "telegram", role: "user", text: "Last question" },
    { platform: "telegram", role: "assistant", text: "x".repeat(500) },
    { platform: "slack", role: "assistant", text: "Answered" },
    { platform: "slack", role: "user", text: "Failed" },
  ]);
});

it("an agent is told nothing of others, of yesterday, of archived chats and of projects that are out of sight", async () => {
  const [person, other] = [await rows.person(), await rows.person()];
  const channel = await rows.channel(person);
  const said = ["A question", "An answer"];
  const at = async (agentChat: string, lastActiveAt = new Date(), user: { id: string } = person) =>
    rows.session(user, channel, { chatId: newId(), agentChat, lastActiveAt });
  await at(await rows.chat(person, said), ago(25));
  await at(await rows.chat(person, said, "archived"));
  await at(await rows.chat({ ...person, projectId: other.projectId }, said));
  await at(await rows.chat(other, said), new Date(), other);
  expect(await recentMessages(database.db, { userId: person.id, sessionId: newId() })).toEqual([]);
});

const SETTINGS = { idleMinutes: 60, wholeChars: 100 };

function reading({ at: { channel, senderId } }: MediaWorld) {
  const key = { channelId: channel.id, sessionKey: `telegram:dm:${senderId}`, senderId };
  return openConversation(database.db, key, SETTINGS);
}

it("a single message is the batch of a task in the round trip that reads its session, for one reader alone", async () => {
  const world = await MediaWorld.open(database.db);
  await world.receive("Hello");
  const both = await Promise.all([reading(world), reading(world)]);
  expect(both.filter(({ isClaimed }) => isClaimed)).toHaveLength(1);
  const { events } = await reading(world);
  expect(events.map(({ id, taskId }) => taskId === id)).toEqual([true]);
});

it.each([
  ["may be a command", ["/status"]],
  ["may be a command in a thread", ["!status"]],
  ["may be a part of a long text", ["x".repeat(SETTINGS.wholeChars)]],
  ["has others beside it", ["One", "Two"]],
])("a message that %s is not claimed before it is looked at", async (_, texts) => {
  const world = await MediaWorld.open(database.db);
  for (const text of texts) await world.receive(text);
  const { isClaimed, events } = await reading(world);
  expect(isClaimed).toBe(false);
  expect(events.map(({ taskId }) => taskId)).toEqual(texts.map(() => null));
});

it("a message with a file, and one to a session that is at work, are not claimed before they are looked at", async () => {
  const world = await MediaWorld.open(database.db);
  await world.receive("Look", [world.has("A picture")]);
  expect(await reading(world)).toMatchObject({ isClaimed: false, events: [{ taskId: null }] });
  await world.advance();
  await world.receive("And?");
  expect(await reading(world)).toMatchObject({ isClaimed: false, events: [{ taskId: null }] });
});
