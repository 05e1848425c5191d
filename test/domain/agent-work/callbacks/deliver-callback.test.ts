import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { deliverCallback } from "#src/domain/agent-work/callbacks/index.ts";
import { finishTask } from "#src/domain/agent-work/tasks/index.ts";
import { FOLLOW_UPS } from "#src/follow-ups.ts";
import type { Services } from "#src/services.ts";
import { executeJob } from "#src/work/execute.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { storeTask } from "#test/support/stored-task.ts";
import { completed, idle } from "../tasks/support/interleaved-service.ts";

const database = await fileDatabase();

/** The receivers of these statuses, one after the other. */
function receivers(...statuses: number[]) {
  return partOf<Services>({
    db: database.db,
    secrets: partOf({ decrypt: async (text: string) => text }),
    safeFetch: async (url: string) => ({
      status: statuses.shift() ?? 500,
      headers: new Headers(),
      body: new Uint8Array(),
      url,
      truncated: false,
    }),
    queue: partOf({ publish: async () => {} }),
    log: partOf({ warn: () => {}, error: () => {} }),
  });
}

/** A task that has just ended, while the queue accepted nothing. */
async function endedTask(): Promise<string> {
  const { id, personalTeamId } = await newColleague(database.db);
  const values = { status: "running", generation: 1, webhookUrl: "https://receiver.test" } as const;
  const { taskId } = await storeTask(database.db, { id, defaultTeamId: personalTeamId }, values);
  const refusing = partOf<Services>({
    db: database.db,
    taskLogs: { close: async () => {} },
    followUps: FOLLOW_UPS,
    queue: { publish: () => Promise.reject(new Error("The queue accepted nothing")) },
  });
  await expect(finishTask(refusing, idle(taskId, 1), completed(taskId))).rejects.toThrow("accepted nothing");
  return taskId;
}

/** As if the pause between two attempts had passed. */
async function pass(taskId: string): Promise<number | undefined> {
  const { rows } = await database.db.execute<{
    seconds: number;
  }>(sql`UPDATE jobs SET due_at = now() FROM jobs AS before
    WHERE jobs.key = ${taskId} AND before.key = jobs.key AND jobs.failed_at IS NULL
    RETURNING round(extract(epoch FROM before.due_at - now()))::int AS seconds`);
  return rows[0]?.seconds;
}

async function outcomeOf(taskId: string) {
  const { rows } = await database.db.execute(sql`
    SELECT callback_status AS status, (SELECT json_agg(json_build_array(attempt, status_code, delivered) ORDER BY attempt)
      FROM callback_attempts WHERE task_id = tasks.id) AS attempts,
      (SELECT last_error FROM jobs WHERE key = tasks.id::text) AS "givenUp"
    FROM tasks WHERE id = ${taskId}`);
  return rows[0];
}

it("a callback is stored with the end of its task, and delivered by the attempt that succeeds", async () => {
  const taskId = await endedTask();
  const deps = receivers(503, 200);
  await executeJob(deps, deliverCallback, taskId);
  expect(await outcomeOf(taskId)).toMatchObject({ status: "pending", attempts: [[1, 503, false]] });
  await pass(taskId);
  await executeJob(deps, deliverCallback, taskId);
  const attempts = [
    [1, 503, false],
    [2, 200, true],
  ];
  expect(await outcomeOf(taskId)).toEqual({ status: "delivered", attempts, givenUp: null });
});

it("a callback that always fails is tried for more than an hour, and then counts as failed", async () => {
  const taskId = await endedTask();
  const pauses: number[] = [];
  await executeJob(receivers(), deliverCallback, taskId);
  for (let pause = await pass(taskId); pause !== undefined; pause = await pass(taskId)) {
    pauses.push(pause);
    await executeJob(receivers(), deliverCallback, taskId);
  }
  // Leaves time for the queue and the call itself: the first repetition must come within 30 s.
  expect(pauses[0]).toBeLessThanOrEqual(15);
  expect(pauses.reduce((sum, seconds) => sum + seconds, 0)).toBeGreaterThan(3600);
  expect(await outcomeOf(taskId)).toEqual({
    status: "failed",
    attempts: Array.from({ length: pauses.length + 1 }, (_, index) => [index + 1, 500, false]),
    givenUp: "The receiver returned 500",
  });
});

it("a callback whose task was deleted is not made", async () => {
  const taskId = await endedTask();
  await database.db.execute(sql`DELETE FROM tasks WHERE id = ${taskId}`);
  await executeJob(receivers(), deliverCallback, taskId);
  expect(await pass(taskId)).toBeUndefined();
});
