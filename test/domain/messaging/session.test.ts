import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { openDatabase } from "#test/support/database.ts";
import { newLinkedChannel } from "./support/linked-channel.ts";
import { SessionWorld } from "./support/session-world.ts";
import { runs } from "#test/support/soak.ts";

/** Interleavings that are tried; many more in `npm run soak`. */
const RUNS = runs(6);

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
  // Renewals of leases would come at any point; executors that the world leaves waiting lose theirs.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
});

describe("the messages of a session", () => {
  const first = inject("fuzzSeed");
  it.each(Array.from({ length: RUNS }, (_, index) => first + index))(
    "are lost, doubled and stuck in no interleaving (seed %i)",
    async (seed) => {
      const world = new SessionWorld(database.db, await newLinkedChannel(database.db), seed);
      await world.run();
      const { taken, said, messagesOfTasks, replies, readInOrder, ...left } = await world.outcome();
      expect(left).toEqual({ open: [], unsent: [], unfinished: [], unread: [], unmarked: [], overtaken: [] });
      expect(said).toEqual(taken);
      expect(replies.toSorted()).toEqual(messagesOfTasks);
      expect(readInOrder).toEqual(replies);
    },
  );
});
