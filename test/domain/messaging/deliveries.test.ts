import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { channelConfigs } from "#src/db/schema/index.ts";
import { MARK } from "#src/domain/messaging/deliveries/mark.ts";
import { newId } from "#src/lib/ids.ts";
import type { StreamEntry } from "#src/platform/redis/delivery-stream.ts";
import { replyToTask, retryMessage } from "#src/domain/messaging/deliveries/index.ts";
import { gatewayStatus } from "#src/domain/messaging/gateway/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { runMortal } from "#test/support/mortal.ts";
import { partOf } from "#test/support/part-of.ts";
import { Outbox } from "./support/outbox.ts";
import { ListeningPlatform, PlatformRows } from "./support/people-of-platforms.ts";
import { MediaWorld } from "./support/media-world.ts";

const { db, trips } = await fileDatabase();
const rows = new PlatformRows(db);
const outbox = new Outbox(db);
const channel = await rows.channel(await rows.person());
let platform: ListeningPlatform;
beforeEach(() => {
  platform = new ListeningPlatform();
  // The renewal of a message's lease would be one more trip.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => void vi.useRealTimers());

const LONG = `${"a".repeat(4_000)}\n\n${"b".repeat(4_000)}`;

const newMessage = (content = "Done", place: string = newId(), of = channel) =>
  outbox.newMessage(of.id, { content, jid: `telegram:${place}` });
const deliver = (id: string) => outbox.deliver(platform.deps(db), id);
const shown = () => platform.sent.map(({ text }) => text.plain);
/** What the platform was sent, by its first letters. */
const heads = () => shown().map((text) => (text === MARK ? MARK : text.slice(0, 1)));

/** An executor dies before it hears that the platform has taken the text; then its lease ends. */
async function killed(id: string): Promise<void> {
  expect(await runMortal({ call: 1, isDone: true }, () => deliver(id))).toBe(true);
  await outbox.pass(id, 10);
}

describe("a message", () => {
  it("is sent after one trip to the database, and settled by the next", async () => {
    const id = await newMessage();
    const before = trips.db;
    await deliver(id);
    expect(trips.db - before).toBe(2);
    expect(await outbox.message(id)).toMatchObject({ status: "delivered", platformMessageId: "m1" });
    expect(await outbox.job(id)).toBeUndefined();
    await deliver(id);
    expect(shown()).toEqual(["Done"]);
  });

  it("that a dead executor may have sent is sent again when its lease ends, marked, and no more than that", async () => {
    const id = await newMessage();
    await killed(id);
    await deliver(id);
    await deliver(id);
    expect(shown()).toEqual(["Done", `${MARK}\nDone`]);
    expect(await outbox.message(id)).toMatchObject({ status: "delivered" });
  });

  it("keeps its mark over attempts that send nothing", async () => {
    const id = await newMessage();
    await killed(id);
    platform.failure = new PlatformFailure("busy", "Too many calls.");
    await deliver(id);
    await outbox.pass(id, 10);
    platform.failure = undefined;
    await deliver(id);
    expect(shown().at(-1)).toBe(`${MARK}\nDone`);
  });

  it("of several pieces goes on behind those that the platform has taken, and only the doubtful one is marked", async () => {
    const id = await newMessage(LONG);
    vi.spyOn(platform, "answer")
      .mockResolvedValueOnce({ messageId: "first" })
      .mockRejectedValueOnce(new PlatformFailure("unreachable", "No answer", { mayHaveHappened: true }));
    await deliver(id);
    expect(await outbox.message(id)).toMatchObject({ piecesSent: 1, mayBeSent: true, status: "pending" });
    // The piece was progress: its failure is the first one.
    expect(await outbox.job(id)).toMatchObject({ attempts: 1 });
    await outbox.pass(id, 10);
    await deliver(id);
    expect(heads()).toEqual(["a", "b", MARK, "b"]);
    expect(await outbox.message(id)).toMatchObject({ status: "delivered" });
  });

  it("has no further piece sent by an executor that lost it", async () => {
    const id = await newMessage(LONG);
    vi.spyOn(platform, "answer").mockImplementationOnce(async () => {
      await outbox.takeOver(id);
      return { messageId: "first" };
    });
    expect(await deliver(id)).toEqual({ retryAfterSeconds: 1 });
    expect(heads()).toEqual(["a"]);
    expect(await outbox.message(id)).toMatchObject({ piecesSent: 0, status: "pending" });
    await outbox.pass(id, 10);
    await deliver(id);
    expect(heads()).toEqual(["a", MARK, "a", "b"]);
  });

  it("that kills its executors fails in the end, and is marked when it is sent again", async () => {
    const id = await newMessage();
    for (let times = 0; times < 6; times += 1) await killed(id);
    await deliver(id);
    const error = "Sending was interrupted too many times";
    expect(await outbox.message(id)).toMatchObject({ status: "failed", error, mayBeSent: true });
    expect(await outbox.job(id)).toMatchObject({ failedAt: expect.any(Date), lastError: error });
  });

  it("that is a day old is not sent any more", async () => {
    const id = await newMessage();
    await outbox.pass(id, 86_401);
    await deliver(id);
    expect(shown()).toEqual([]);
    const error = "The message could not be sent for a day";
    expect(await outbox.message(id)).toMatchObject({ status: "failed", error });
  });
});

describe("a failure", () => {
  it("is tried again when the platform says so, and five times in all", async () => {
    const id = await newMessage();
    platform.failure = new PlatformFailure("busy", "Too many calls.", { retryAfterSeconds: 60 });
    for (const pause of [60, 60, 60, 120, 300]) {
      await deliver(id);
      expect(platform.published.at(-1)).toMatchObject({ delaySeconds: pause, shareOf: channel.userId });
      expect(await outbox.message(id)).toMatchObject({ status: "pending", error: "Too many calls." });
      await outbox.pass(id, pause);
    }
    await deliver(id);
    expect(platform.published).toHaveLength(5);
    expect(await outbox.message(id)).toMatchObject({ status: "failed", error: "Too many calls." });
  });

  it.each([
    ["refused", {}, null],
    ["unauthorized", {}, "No."],
    ["busy", { retryAfterSeconds: 3_601 }, "No."],
  ] as const)(
    "that is final (%s) is told at once, and other programs hear of it",
    async (kind, options, told) => {
      const person = await rows.person();
      const own = await rows.channel(person);
      const id = await newMessage("Done", "5", own);
      platform.failure = new PlatformFailure(kind, "No.", options);
      const buried: StreamEntry[] = [];
      const { deliveryStream, ...deps } = platform.deps(db);
      const bury = async (entry: StreamEntry) => void buried.push(entry);
      await outbox.deliver({ ...deps, deliveryStream: partOf({ ...deliveryStream, bury }) }, id);
      expect(await outbox.message(id)).toMatchObject({ status: "failed", error: "No." });
      expect(buried).toMatchObject([
        { delivery_id: id, config_id: own.id, chat_id: "5", body: "", error: "No." },
      ]);
      const lastError = async () =>
        (await db.select().from(channelConfigs).where(eq(channelConfigs.id, own.id)))[0]?.lastError;
      expect(await lastError()).toBe(told);
      platform.failure = undefined;
      await deliver(await newMessage("Done", "6", own));
      expect(await lastError()).toBeNull();
    },
  );
});

describe("messages to one place", () => {
  it("wait for those before them, and are due as soon as these are over", async () => {
    const place = newId();
    const [first, second, third] = [
      await newMessage("first", place),
      await newMessage("second", place),
      await newMessage("third", place),
    ];
    platform.failure = new PlatformFailure("busy", "Too many calls.", { retryAfterSeconds: 90 });
    const begun = performance.now();
    await deliver(first);
    platform.failure = undefined;
    for (const waiting of [second, third]) await deliver(waiting);
    expect(shown()).toEqual([]);
    // They come when the first one does. The two clocks may differ by a second.
    const least = 89 - (performance.now() - begun) / 1000;
    for (const { delaySeconds } of platform.published.slice(1))
      expect(delaySeconds).toBeGreaterThanOrEqual(least);
    await outbox.pass(first, 90);
    const before = platform.published.length;
    await deliver(first);
    expect(platform.published.slice(before)).toMatchObject([
      { function: "deliver-outbox-message", payload: { key: second }, shareOf: channel.userId },
    ]);
    await deliver(third);
    await deliver(second);
    await deliver(third);
    expect(shown()).toEqual(["first", "second", "third"]);
  });

  it("go on when the one before them has failed", async () => {
    const place = newId();
    const [first, second] = [await newMessage("first", place), await newMessage("second", place)];
    await deliver(second);
    platform.failure = new PlatformFailure("refused", "No.");
    await deliver(first);
    platform.failure = undefined;
    expect(platform.published.at(-1)).toMatchObject({ payload: { key: second } });
    await deliver(second);
    expect(shown()).toEqual(["second"]);
  });

  it("are sent in the order in which they were stored, whichever id was made first", async () => {
    const jid = `telegram:${newId()}`;
    const [smaller, greater] = [newId(), newId()];
    await outbox.newMessage(channel.id, { id: greater, jid, content: "first", createdAt: new Date() });
    const createdAt = new Date(Date.now() + 10);
    await outbox.newMessage(channel.id, { id: smaller, jid, content: "second", createdAt });
    await deliver(smaller);
    await deliver(greater);
    await deliver(smaller);
    expect(shown()).toEqual(["first", "second"]);
  });

  it("wait in no other place", async () => {
    const [first, other] = [await newMessage("first"), await newMessage("other")];
    platform.failure = new PlatformFailure("busy", "Too many calls.");
    await deliver(first);
    platform.failure = undefined;
    await deliver(other);
    expect(shown()).toEqual(["other"]);
  });
});

const FAILED = { status: "failed", error: "The bot was blocked." } as const;

describe("a failed message", () => {
  it("is sent again", async () => {
    const owner = await rows.person();
    const own = await rows.channel(owner);
    const id = await outbox.newMessage(own.id, FAILED);
    const asked = { id, status: "pending", error: null };
    expect(await retryMessage(platform.deps(db), owner.caller, own.id, id)).toMatchObject(asked);
    expect(platform.published).toMatchObject([
      { function: "deliver-outbox-message", payload: { key: id }, shareOf: owner.id },
    ]);
    await deliver(id);
    expect(platform.sent).toHaveLength(1);
    expect(await outbox.message(id)).toMatchObject({ status: "delivered", error: null });
  });

  it("is nothing to other people, is not one that waits or was delivered, and stays with a channel that was deleted", async () => {
    const [owner, stranger] = [await rows.person(), await rows.person()];
    const [own, other, deleted] = [
      await rows.channel(owner),
      await rows.channel(stranger),
      await rows.channel(owner, { isActive: false }),
    ];
    const id = await outbox.newMessage(own.id, FAILED);
    const deps = platform.deps(db);
    for (const [{ caller }, channelId, messageId, code] of [
      [stranger, own.id, id, "not_found"],
      [stranger, other.id, id, "not_found"],
      [owner, own.id, newId(), "not_found"],
      [owner, own.id, "none", "not_found"],
      [owner, own.id, await outbox.newMessage(own.id, { ...FAILED, direction: "inbound" }), "not_found"],
      [owner, own.id, await outbox.newMessage(own.id), "conflict"],
      [owner, own.id, await outbox.newMessage(own.id, { status: "delivered" }), "conflict"],
      [owner, deleted.id, await outbox.newMessage(deleted.id, FAILED), "invalid_input"],
    ] as const) {
      await expect(retryMessage(deps, caller, channelId, messageId)).rejects.toMatchObject({ code });
    }
  });
});

it("a service without Redis sends nothing of the outbox, also what was stored before or is sent again, and says so", async () => {
  const owner = await rows.person();
  const { deliveryStream, ...deps } = platform.deps(db);
  const id = await outbox.newMessage((await rows.channel(owner)).id);
  await outbox.deliver({ ...deps, deliveryStream: undefined }, id);
  expect(platform.sent).toEqual([]);
  const error = "The service runs without Redis: nothing is sent to platforms";
  expect(await outbox.message(id)).toMatchObject({ status: "failed", error });
  const status = (stream: typeof deliveryStream) =>
    gatewayStatus(
      {
        db: db,
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
  const world = await MediaWorld.open(db);
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
  const before = trips.db;
  const replying = replyToTask({ ...deps, queue: { ...deps.queue, publish } }, task?.id ?? "");
  while (world.shown.length === 0) await nextTurn();
  redis.resolve();
  await replying;
  expect(trips.db - before).toBe(2);
  expect(published).toEqual([]);
  const { channel: own, senderId } = world.at;
  const [, row] = await world.rows();
  expect(entries).toEqual([
    {
      kind: "message",
      config_id: own.id,
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

it("replies of one chat are sent in the order of their tasks when a crash has kept earlier ones back", async () => {
  const world = await MediaWorld.open(db);
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
