import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { channelMessages } from "#src/db/schema/index.ts";
import { deliverMessage, replyToTask, retryMessage } from "#src/domain/messaging/deliveries/index.ts";
import { claimMessage } from "#src/domain/messaging/deliveries/queries/attempts.ts";
import { gatewayStatus } from "#src/domain/messaging/gateway/index.ts";
import { newId } from "#src/lib/ids.ts";
import { openDatabase } from "#test/support/database.ts";
import { newLinkedChannel } from "./support/linked-channel.ts";
import { MediaWorld } from "./support/media-world.ts";
import { ListeningPlatform, PlatformRows } from "./support/people-of-platforms.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let rows: PlatformRows;
beforeAll(async () => {
  database = await openDatabase();
  rows = new PlatformRows(database.db);
});
afterAll(() => database.close());

async function newMessage(
  channelConfigId: string,
  values: Partial<typeof channelMessages.$inferInsert> = {},
) {
  const id = newId();
  await database.db.insert(channelMessages).values({
    id,
    channelConfigId,
    direction: "outbound",
    jid: "telegram:5",
    content: "Done",
    status: "failed",
    error: "The bot was blocked.",
    attempts: 3,
    ...values,
  });
  return id;
}

describe("a failed message", () => {
  it("is sent again", async () => {
    const platform = new ListeningPlatform();
    const owner = await rows.person();
    const channel = await rows.channel(owner);
    const id = await newMessage(channel.id);
    const deps = platform.deps(database.db);
    expect(await retryMessage(deps, owner.caller, channel.id, id)).toMatchObject({
      id,
      status: "pending",
      error: null,
      attempts: 0,
    });
    expect(platform.published).toMatchObject([{ function: "deliver-message", payload: { messageId: id } }]);
    await deliverMessage(deps, id);
    expect(platform.sent).toHaveLength(1);
    const [after] = await database.db.select().from(channelMessages).where(eq(channelMessages.id, id));
    expect(after).toMatchObject({ status: "delivered", error: null });
  });

  it("is nothing to other people", async () => {
    const [owner, stranger] = [await rows.person(), await rows.person()];
    const channel = await rows.channel(owner);
    const id = await newMessage(channel.id);
    const other = await rows.channel(stranger);
    const deps = new ListeningPlatform().deps(database.db);
    for (const [caller, channelId, messageId] of [
      [stranger.caller, channel.id, id],
      [stranger.caller, other.id, id],
      [owner.caller, channel.id, newId()],
      [owner.caller, channel.id, "none"],
      [owner.caller, channel.id, await newMessage(channel.id, { direction: "inbound" })],
    ] as const) {
      await expect(retryMessage(deps, caller, channelId, messageId)).rejects.toMatchObject({
        code: "not_found",
      });
    }
  });

  it.each(["pending", "delivered"] as const)("is not one that is %s", async (status) => {
    const owner = await rows.person();
    const channel = await rows.channel(owner);
    const id = await newMessage(channel.id, { status });
    await expect(
      retryMessage(new ListeningPlatform().deps(database.db), owner.caller, channel.id, id),
    ).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining(status) });
  });

  it("stays with a channel that was deleted", async () => {
    const owner = await rows.person();
    const channel = await rows.channel(owner, { isActive: false });
    const id = await newMessage(channel.id);
    await expect(
      retryMessage(new ListeningPlatform().deps(database.db), owner.caller, channel.id, id),
    ).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("a service without Redis", () => {
  it("sends nothing of the outbox, also what was stored before or is sent again, and says so", async () => {
    const { id: channelConfigId } = await rows.channel(await rows.person());
    const id = newId();
    const row = { channelConfigId, direction: "outbound", status: "pending", content: "Done" } as const;
    await database.db.insert(channelMessages).values({ ...row, id, jid: "telegram:5" });
    const platform = new ListeningPlatform();
    await deliverMessage({ ...platform.deps(database.db), deliveryStream: undefined }, id);
    expect(platform.sent).toEqual([]);
    const [after] = await database.db.select().from(channelMessages).where(eq(channelMessages.id, id));
    expect(after).toMatchObject({
      status: "failed",
      error: "The service runs without Redis: nothing is sent to platforms",
    });
  });

  it.each([
    ["with", "notice is empty", null],
    [
      "without",
      "status says it",
      "Replies are not sent to platforms: the service runs without Redis (REDIS_URL=off).",
    ],
  ] as const)("%s Redis: the %s", async (redis, _, notice) => {
    const { deliveryStream } = new ListeningPlatform().deps(database.db);
    const status = await gatewayStatus(
      {
        db: database.db,
        deliveryStream: redis === "with" ? deliveryStream : undefined,
        gatewayShards: { status: async () => ({ connections: [], lastSync: Date.now(), startedAt: 0 }) },
        config: {
          GATEWAY_ENABLED: true,
          GATEWAY_SHARD: 0,
          GATEWAY_NUM_SHARDS: 1,
          GATEWAY_SESSION_IDLE_MINUTES: 60,
        },
      },
      (await rows.person()).caller,
    );
    expect(status).toMatchObject({ status: "online", notice });
  });
});

/** A person's finished tasks in one chat, with these answers; their replies are not sent. */
async function finished(answers: readonly string[]) {
  const world = await MediaWorld.open(database.db, { files: {} });
  const ids: string[] = [];
  for (const answer of answers) {
    await world.say("Do it", []);
    const task = (await world.tasks()).find(({ id }) => !ids.includes(id));
    ids.push(task?.id ?? "");
    await world.finish(ids.at(-1) ?? "", answer);
  }
  return { world, ids, reply: async (index: number) => replyToTask(world.deps, ids[index] ?? "") };
}

describe("replies of one chat", () => {
  it("are sent in the order of their tasks when a crash has kept earlier ones back", async () => {
    const { world, reply } = await finished(["first", "second", "third"]);
    await reply(2);
    expect(world.shown).toEqual(["first", "second", "third"]);
    await reply(0);
    await reply(1);
    expect(world.shown).toHaveLength(3);
  });

  it("are sent in the order in which they were stored, whichever id was made first", async () => {
    const { channel } = await newLinkedChannel(database.db);
    const [smaller, greater] = [newId(), newId()];
    const row = {
      channelConfigId: channel.id,
      direction: "outbound",
      jid: "telegram:5",
      content: "A reply",
      status: "pending",
    } as const;
    const later = new Date(Date.now() + 10);
    await database.db.insert(channelMessages).values([
      { ...row, id: greater, createdAt: new Date() },
      { ...row, id: smaller, createdAt: later },
    ]);
    expect(await claimMessage(database.db, smaller)).toBeUndefined();
    expect(await claimMessage(database.db, greater)).toMatchObject({ message: { id: greater } });
  });
});
