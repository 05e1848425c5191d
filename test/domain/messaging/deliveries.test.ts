import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { replyToTask, retryMessage } from "#src/domain/messaging/deliveries/index.ts";
import { gatewayStatus } from "#src/domain/messaging/gateway/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { StreamEntry } from "#src/platform/redis/delivery-stream.ts";
import { fileDatabase } from "#test/support/database.ts";
import { MediaWorld } from "./support/media-world.ts";
import { Outbox } from "./support/outbox.ts";
import { ListeningPlatform, PlatformRows } from "./support/people-of-platforms.ts";

const database = await fileDatabase();
afterEach(() => void vi.useRealTimers());
const rows = new PlatformRows(database.db);

const outbox = new Outbox(database.db);
const FAILED = { status: "failed", error: "The bot was blocked." } as const;

describe("a failed message", () => {
  it("is sent again", async () => {
    const platform = new ListeningPlatform();
    const owner = await rows.person();
    const channel = await rows.channel(owner);
    const id = await outbox.newMessage(channel.id, FAILED);
    const deps = platform.deps(database.db);
    const asked = { id, status: "pending", error: null };
    expect(await retryMessage(deps, owner.caller, channel.id, id)).toMatchObject(asked);
    expect(platform.published).toMatchObject([{ function: "deliver-outbox-message", payload: { key: id } }]);
    await outbox.deliver(deps, id);
    expect(platform.sent).toHaveLength(1);
    expect(await outbox.message(id)).toMatchObject({ status: "delivered", error: null });
  });

  it("is nothing to other people, is not one that waits or was delivered, and stays with a channel that was deleted", async () => {
    const [owner, stranger] = [await rows.person(), await rows.person()];
    const [channel, other, deleted] = [
      await rows.channel(owner),
      await rows.channel(stranger),
      await rows.channel(owner, { isActive: false }),
    ];
    const id = await outbox.newMessage(channel.id, FAILED);
    const deps = new ListeningPlatform().deps(database.db);
    for (const [{ caller }, channelId, messageId, code] of [
      [stranger, channel.id, id, "not_found"],
      [stranger, other.id, id, "not_found"],
      [owner, channel.id, newId(), "not_found"],
      [owner, channel.id, "none", "not_found"],
      [
        owner,
        channel.id,
        await outbox.newMessage(channel.id, { ...FAILED, direction: "inbound" }),
        "not_found",
      ],
      [owner, channel.id, await outbox.newMessage(channel.id), "conflict"],
      [owner, channel.id, await outbox.newMessage(channel.id, { status: "delivered" }), "conflict"],
      [owner, deleted.id, await outbox.newMessage(deleted.id, FAILED), "invalid_input"],
    ] as const) {
      await expect(retryMessage(deps, caller, channelId, messageId)).rejects.toMatchObject({ code });
    }
  });
});

it("a service without Redis sends nothing of the outbox, also what was stored before or is sent again, and says so", async () => {
  const owner = await rows.person();
  const platform = new ListeningPlatform();
  const { deliveryStream, ...deps } = platform.deps(database.db);
  const id = await outbox.newMessage((await rows.channel(owner)).id);
  await outbox.deliver({ ...deps, deliveryStream: undefined }, id);
  expect(platform.sent).toEqual([]);
  const error = "The service runs without Redis: nothing is sent to platforms";
  expect(await outbox.message(id)).toMatchObject({ status: "failed", error });
  const status = (stream: typeof deliveryStream) =>
    gatewayStatus(
      {
        db: database.db,
        deliveryStream: stream,
        gatewayShards: { status: async () => ({ connections: [], lastSync: Date.now(), startedAt: 0 }) },
        config: {
          GATEWAY_ENABLED: true,
          GATEWAY_SHARD: 0,
          GATEWAY_NUM_SHARDS: 1,
          GATEWAY_SESSION_IDLE_MINUTES: 60,
        },
      },
      owner.caller,
    );
  expect(await status(deliveryStream)).toMatchObject({ status: "online", notice: null });
  expect(await status(undefined)).toMatchObject({
    status: "online",
    notice: "Replies are not sent to platforms: the service runs without Redis (REDIS_URL=off).",
  });
});

it("a reply costs two trips to the database, and Redis hears of it while it is sent", async () => {
  const world = await MediaWorld.open(database.db);
  await world.say("Do it");
  const [task] = await world.tasks();
  await world.finish(task?.id ?? "", "Done");
  const entries: StreamEntry[] = [];
  const redis = Promise.withResolvers<void>();
  const append = async (entry: StreamEntry) => {
    entries.push(entry);
    await redis.promise;
  };
  const published: unknown[] = [];
  const publish = async (message: unknown) => void published.push(message);
  const deps = { ...world.deps, deliveryStream: { append, bury: async () => {} } };
  // The renewal of the message's lease would be a fourth trip.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const before = database.trips.db;
  const replying = replyToTask({ ...deps, queue: { ...deps.queue, publish } }, task?.id ?? "");
  while (world.shown.length === 0) await nextTurn();
  redis.resolve();
  await replying;
  expect(database.trips.db - before).toBe(2);
  expect(published).toEqual([]);
  const { channel, senderId } = world.at;
  const [, row] = await world.rows();
  expect(entries).toEqual([
    {
      kind: "message",
      config_id: channel.id,
      session_key: `telegram:dm:${senderId}`,
      task_id: task?.id,
      body: "Done",
      artifact_refs: "[]",
      deliver: "origin",
      schedule_id: "",
      response: "Done",
      chat_id: senderId,
      thread_id: "",
      reply_to: "",
      delivery_id: row?.id,
      attempt: "1",
    },
  ]);
});

describe("replies of one chat", () => {
  it("are sent in the order of their tasks when a crash has kept earlier ones back", async () => {
    const world = await MediaWorld.open(database.db);
    for (const answer of ["first", "second", "third"]) {
      await world.say("Do it");
      await world.finish((await world.tasks()).at(-1)?.id ?? "", answer);
    }
    const [first, second, third] = await world.tasks();
    await replyToTask(world.deps, third?.id ?? "");
    expect(world.shown).toEqual(["first", "second", "third"]);
    for (const task of [first, second]) await replyToTask(world.deps, task?.id ?? "");
    expect(world.shown).toHaveLength(3);
  });
});
