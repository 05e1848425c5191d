import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { channelMessages } from "#src/db/schema/index.ts";
import { deliverMessage, retryMessage } from "#src/domain/messaging/deliveries/index.ts";
import { newId } from "#src/lib/ids.ts";
import { openDatabase } from "#test/support/database.ts";
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
