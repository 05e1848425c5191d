import { afterAll, beforeAll, expect, it } from "vitest";
import type { Db } from "#src/platform/db/client.ts";
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
