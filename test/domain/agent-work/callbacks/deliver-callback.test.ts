import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { tasks } from "#src/db/schema/index.ts";
import { deliverCallback } from "#src/domain/agent-work/callbacks/index.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";
import { storeTask } from "#test/support/stored-task.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

it("a callback that always fails is tried for more than an hour, each time by a message that no earlier one hides", async () => {
  const { user } = await newPerson(database.db);
  const { taskId } = await storeTask(database.db, user, {
    status: "completed",
    webhookUrl: "https://receiver.test",
    callbackStatus: "pending",
    completedAt: sql`now()`,
  });
  const published: QueueMessage[] = [];
  const deps = {
    db: database.db,
    secrets: { decrypt: async (text: string) => text },
    safeFetch: async (url: string) => ({
      status: 500,
      headers: new Headers(),
      body: new Uint8Array(),
      url,
      truncated: false,
    }),
    queue: {
      publish: async (message: QueueMessage) => void published.push(message),
      publishBatch: async () => {},
      ensureSchedule: async () => {},
      answers: async () => true,
    },
  };
  let attempt = 1;
  for (; published.length === attempt - 1; attempt += 1) await deliverCallback(deps, { taskId, attempt });

  const attempts = published.map((_, index) => index + 2);
  expect(published.map(({ payload }) => payload)).toEqual(
    attempts.map((next) => ({ taskId, attempt: next })),
  );
  expect(new Set(published.map(({ deduplicationId }) => deduplicationId)).size).toBe(published.length);
  // Leaves time for the queue and the call itself: the first repetition must come within 30 s.
  expect(published[0]?.delaySeconds).toBeLessThanOrEqual(15);
  const seconds = published.reduce((sum, { delaySeconds = 0 }) => sum + delaySeconds, 0);
  expect(seconds).toBeGreaterThan(3600);
  const [task] = await database.db
    .select({ callbackStatus: tasks.callbackStatus })
    .from(tasks)
    .where(eq(tasks.id, taskId));
  expect(task).toEqual({ callbackStatus: "failed" });
});
