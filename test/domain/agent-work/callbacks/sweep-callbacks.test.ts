import { sql } from "drizzle-orm";
import { afterAll, describe, expect, it } from "vitest";
import { sweepCallbacks } from "#src/domain/agent-work/callbacks/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";
import { storeTask } from "#test/support/stored-task.ts";

const database = await openDatabase();
afterAll(() => database.close());

const ago = (minutes: number) => sql`now() - ${minutes}::int * interval '1 minute'`;

/** A finished task whose callback is pending, with attempts so many minutes ago. */
async function pendingTask(completedMinutesAgo: number, attemptsMinutesAgo: number[] = []): Promise<string> {
  const { db } = database;
  const { user } = await newPerson(db);
  const { taskId } = await storeTask(db, user, {
    status: "completed",
    webhookUrl: "https://receiver.test",
    callbackStatus: "pending",
    completedAt: ago(completedMinutesAgo),
  });
  for (const [index, minutes] of attemptsMinutesAgo.entries()) {
    await db.execute(sql`INSERT INTO callback_attempts (id, task_id, attempt, delivered, created_at)
      VALUES (${newId()}, ${taskId}, ${index + 1}, false, ${ago(minutes)})`);
  }
  return taskId;
}

async function swept(): Promise<unknown[]> {
  const published: QueueMessage[] = [];
  const queue = {
    publish: async () => {},
    publishBatch: async (messages: readonly QueueMessage[]) => void published.push(...messages),
    ensureSchedule: async () => {},
    answers: async () => true,
  };
  await sweepCallbacks({ db: database.db, queue });
  return published.map(({ payload }) => payload);
}

describe("sweepCallbacks", () => {
  it("publishes the missing attempt of callbacks that went quiet, and leaves the others to their own pace", async () => {
    const never = await pendingTask(60);
    const twice = await pendingTask(90, [80, 40]);
    await pendingTask(10);
    await pendingTask(60, [50, 20]);
    const payloads = await swept();
    expect(payloads).toHaveLength(2);
    expect(payloads).toEqual(
      expect.arrayContaining([
        { taskId: never, attempt: 1 },
        { taskId: twice, attempt: 3 },
      ]),
    );
  });
});
