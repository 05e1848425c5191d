import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { openDatabase } from "#test/support/database.ts";
import { runs } from "#test/support/soak.ts";
import { newLinkedChannel } from "./support/people-of-platforms.ts";
import { SessionWorld } from "./support/session-world.ts";

const database = await openDatabase();
// Renewals of leases would come at any point; executors that the world leaves waiting lose theirs.
beforeAll(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
});

// Many more in `npm run soak`.
it.each(Array.from({ length: runs(3) }, (_, index) => inject("fuzzSeed") + index))(
  "the messages of a session are lost, doubled and stuck in no interleaving (seed %i)",
  async (seed) => {
    const world = new SessionWorld(database.db, await newLinkedChannel(database.db), seed);
    await world.run();
    const { taken, said, messagesOfTasks, replies, ...left } = await world.outcome();
    expect(left).toEqual({
      open: [],
      unsent: [],
      unfinished: [],
      unread: [],
      late: [],
      unmarked: [],
      overtaken: [],
    });
    expect(said).toEqual(taken);
    expect(replies).toEqual(messagesOfTasks);
  },
);
