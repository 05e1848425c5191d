import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { messageKeys } from "#src/db/schema/index.ts";
import { deleteExpiredIdempotencyKeys } from "#src/domain/agent-work/tasks/queries/start.ts";
import { newId } from "#src/lib/ids.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

it("an idempotency key is kept for the promised 24 hours, and forgotten after 25", async () => {
  const { db } = database;
  const { user } = await newPerson(db);
  const usedHoursAgo = (hours: number) => ({
    userId: user.id,
    key: `used ${hours} hours ago`,
    requestHash: "hash",
    taskId: newId(),
    createdAt: sql`now() - make_interval(hours => ${hours}::int)`,
  });
  await db.insert(messageKeys).values([usedHoursAgo(0), usedHoursAgo(24), usedHoursAgo(26)]);
  await deleteExpiredIdempotencyKeys(db);
  const left = await db.select({ key: messageKeys.key }).from(messageKeys).orderBy(messageKeys.key);
  expect(left).toEqual([{ key: "used 0 hours ago" }, { key: "used 24 hours ago" }]);
});
