import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replyToTask } from "#src/domain/messaging/deliveries/index.ts";
import { claimMessage } from "#src/domain/messaging/deliveries/queries/attempts.ts";
import { channelMessages } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import { openDatabase } from "#test/support/database.ts";
import { newLinkedChannel } from "./support/linked-channel.ts";
import { MediaWorld } from "./support/media-world.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

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
