import { eq } from "drizzle-orm";
import { afterAll, describe, expect, it } from "vitest";
import { channelMessages } from "#src/db/schema/index.ts";
import { deliverMessage, replyToTask, retryMessage } from "#src/domain/messaging/deliveries/index.ts";
import { claimMessage } from "#src/domain/messaging/deliveries/queries/attempts.ts";
import { gatewayStatus } from "#src/domain/messaging/gateway/index.ts";
import { newId } from "#src/lib/ids.ts";
import { openDatabase } from "#test/support/database.ts";
import { MediaWorld } from "./support/media-world.ts";
import { ListeningPlatform, PlatformRows } from "./support/people-of-platforms.ts";

const database = await openDatabase();
afterAll(() => database.close());
const rows = new PlatformRows(database.db);

async function newMessage(
  channelConfigId: string,
  values: Partial<typeof channelMessages.$inferInsert> = {},
): Promise<string> {
  const id = newId();
  const message = { jid: "telegram:5", content: "Done", direction: "outbound", status: "failed" } as const;
  await database.db
    .insert(channelMessages)
    .values({ id, channelConfigId, ...message, error: "The bot was blocked.", attempts: 3, ...values });
  return id;
}

const stored = async (id: string) =>
  (await database.db.select().from(channelMessages).where(eq(channelMessages.id, id)))[0];

describe("a failed message", () => {
  it("is sent again", async () => {
    const platform = new ListeningPlatform();
    const owner = await rows.person();
    const channel = await rows.channel(owner);
    const id = await newMessage(channel.id);
    const deps = platform.deps(database.db);
    const asked = { id, status: "pending", error: null, attempts: 0 };
    expect(await retryMessage(deps, owner.caller, channel.id, id)).toMatchObject(asked);
    expect(platform.published).toMatchObject([{ function: "deliver-message", payload: { messageId: id } }]);
    await deliverMessage(deps, id);
    expect(platform.sent).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ status: "delivered", error: null });
  });

  it("is nothing to other people, is not one that waits or was delivered, and stays with a channel that was deleted", async () => {
    const [owner, stranger] = [await rows.person(), await rows.person()];
    const [channel, other, deleted] = [
      await rows.channel(owner),
      await rows.channel(stranger),
      await rows.channel(owner, { isActive: false }),
    ];
    const id = await newMessage(channel.id);
    const deps = new ListeningPlatform().deps(database.db);
    for (const [{ caller }, channelId, messageId, code] of [
      [stranger, channel.id, id, "not_found"],
      [stranger, other.id, id, "not_found"],
      [owner, channel.id, newId(), "not_found"],
      [owner, channel.id, "none", "not_found"],
      [owner, channel.id, await newMessage(channel.id, { direction: "inbound" }), "not_found"],
      [owner, channel.id, await newMessage(channel.id, { status: "pending" }), "conflict"],
      [owner, channel.id, await newMessage(channel.id, { status: "delivered" }), "conflict"],
      [owner, deleted.id, await newMessage(deleted.id), "invalid_input"],
    ] as const) {
      await expect(retryMessage(deps, caller, channelId, messageId)).rejects.toMatchObject({ code });
    }
  });
});

it("a service without Redis sends nothing of the outbox, also what was stored before or is sent again, and says so", async () => {
  const owner = await rows.person();
  const platform = new ListeningPlatform();
  const { deliveryStream, ...deps } = platform.deps(database.db);
  const id = await newMessage((await rows.channel(owner)).id, { status: "pending", error: null });
  await deliverMessage({ ...deps, deliveryStream: undefined }, id);
  expect(platform.sent).toEqual([]);
  const error = "The service runs without Redis: nothing is sent to platforms";
  expect(await stored(id)).toMatchObject({ status: "failed", error });
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

  it("are sent in the order in which they were stored, whichever id was made first", async () => {
    const channel = await rows.channel(await rows.person());
    const [smaller, greater] = [newId(), newId()];
    const row = { status: "pending", error: null, attempts: 0 } as const;
    await newMessage(channel.id, { ...row, id: greater, createdAt: new Date() });
    await newMessage(channel.id, { ...row, id: smaller, createdAt: new Date(Date.now() + 10) });
    expect(await claimMessage(database.db, smaller)).toBeUndefined();
    expect(await claimMessage(database.db, greater)).toMatchObject({ message: { id: greater } });
  });
});
