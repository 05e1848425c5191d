import { and, eq, isNull } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { channelEvents } from "#src/db/schema/index.ts";
import { advanceSessions } from "#src/domain/messaging/conversations/index.ts";
import { receiveEvents, type SessionBatch } from "#src/domain/messaging/inbox/index.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { openDatabase } from "#test/support/database.ts";
import { MediaWorld } from "./support/media-world.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

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
    Object({ ...deps, queue }),
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
  const [batch, ...others] = published.splice(0).map(({ payload }): SessionBatch => Object(payload));
  if (!batch) throw new Error("Nothing was published");
  expect(others).toEqual([]);
  expect(batch.sessions).toHaveLength(30);

  let now = 0;
  let most = 0;
  const config = { ...deps.config, GATEWAY_PAIRING_MAX_PENDING: 100 };
  const { telegram } = deps.channels;
  const api = () => ({
    ...telegram.api({}, Object({})),
    async send({ place }: { place: { chatId: string } }) {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      if (place.chatId === broken) throw new TypeError("It is broken");
      return { messageId: "1" };
    },
  });
  const failing = Object({ ...deps, config, queue, channels: { telegram: { ...telegram, api } } });
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
  const alone: SessionBatch = Object(again?.payload);
  expect(alone.sessions.map(({ senderId }) => senderId)).toEqual([broken]);
  // Alone it fails as any message of the queue does, which has its own retries.
  await expect(advanceSessions(failing, alone)).rejects.toThrow("It is broken");
});
