import { and, eq, isNull, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { channelEvents } from "#src/db/schema/index.ts";
import { advanceSessions } from "#src/domain/messaging/conversations/index.ts";
import { receiveEvents, eventsReceived } from "#src/domain/messaging/inbox/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { openDatabase } from "#test/support/database.ts";
import { MediaWorld } from "./support/media-world.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

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
  const first = afterBatch(2, async () => {
    await world.receive("Two", []);
    advance = world.advance({ ...world.deps, db: slow });
    await second.promise;
  });
  await world.receive("One", []);
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
  await world.say("Before", []);
  const [before] = await world.tasks();
  await world.finish(before?.id ?? "", "Done");
  await world.receive("One", []);
  const deps = { ...world.deps, queue: { ...world.deps.queue, publish: dead } };
  await expect(world.advance(deps)).rejects.toThrow("The process is dead");
  await database.db
    .update(channelEvents)
    .set({ createdAt: sql`created_at - interval '1 minute'` })
    .where(eq(channelEvents.channelConfigId, world.at.channel.id));
  return world;
}

it("a task that was stored and not begun is begun by the next advance of its session", async () => {
  const world = await interrupted();
  const published: QueueMessage[] = [];
  const publish = async (message: QueueMessage) => void published.push(message);
  await world.advance({ ...world.deps, queue: { ...world.deps.queue, publish } });
  const [, one, ...others] = await world.tasks();
  expect(others).toEqual([]);
  expect(published).toContainEqual(
    expect.objectContaining({ function: "agent-step", payload: { taskId: one?.id, step: 1 } }),
  );
});

it("a message goes on behind one whose interrupted task is over", async () => {
  const world = await interrupted();
  await world.receive("Two", []);
  const [, one] = await world.tasks();
  await world.finish(one?.id ?? "", "Done");
  await world.advance();
  expect((await world.tasks()).map(({ message }) => message)).toEqual(["Before", "One", "Two"]);
});

it("a session that fails is published alone, and the others of its batch are handled once", async () => {
  const { deps, at } = await MediaWorld.open(database.db);
  const { channel } = at;
  const published: QueueMessage[] = [];
  const publish = async (messages: readonly QueueMessage[]) => void published.push(...messages);
  const queue = {
    ...deps.queue,
    publish: (message: QueueMessage) => publish([message]),
    publishBatch: publish,
  };
  const people = Array.from({ length: 30 }, (_, index) => `${at.senderId}-${index}`);
  const broken = people[3] ?? "";
  await receiveEvents(
    { ...deps, queue },
    channel,
    people.map((id) => ({
      kind: "message",
      id,
      messageId: id,
      replyTarget: undefined,
      place: { chatId: id, chatType: "dm", threadId: undefined },
      sender: { id, alternateId: undefined, name: "Ada" },
      text: "hello",
      isAddressed: true,
      media: [],
      replyTo: undefined,
      sentAt: undefined,
    })),
  );
  const [batch, ...others] = published.splice(0).map(({ payload }) => eventsReceived.message.parse(payload));
  if (!batch) throw new Error("Nothing was published");
  expect(others).toEqual([]);
  expect(batch.sessions).toHaveLength(30);

  let now = 0;
  let most = 0;
  const config = { ...deps.config, GATEWAY_PAIRING_MAX_PENDING: 100 };
  const { telegram } = deps.channels;
  const api = () => ({
    ...telegram.api({}, deps.apiEnvironment),
    async send({ place }: { place: { chatId: string } }) {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      if (place.chatId === broken) throw new TypeError("It is broken");
      return { messageId: "1" };
    },
  });
  const failing = { ...deps, config, queue, channels: { ...deps.channels, telegram: { ...telegram, api } } };
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
