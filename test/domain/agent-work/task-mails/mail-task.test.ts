import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { requestApproval } from "#src/domain/agent-work/approvals/index.ts";
import { mailTaskEnd, mailTaskQuestion } from "#src/domain/agent-work/task-mails/index.ts";
import { finishTask, type TaskEnd } from "#src/domain/agent-work/tasks/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Services } from "#src/services.ts";
import { executeJob } from "#src/work/execute.ts";
import type { Colleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { storeTask } from "#test/support/stored-task.ts";
import { mailed, mailReader } from "../support/mailed.ts";
import { completed, idle } from "../tasks/support/interleaved-service.ts";

const database = await fileDatabase();
const person = (wish?: Parameters<typeof mailReader>[1]) => mailReader(database.db, wish);
const services = (server?: { configured: boolean }) => mailed(database.db, server);

const SECRET = "what the agent said";

/** A task that runs since so many seconds. */
async function running(
  { id, personalTeamId }: Colleague,
  seconds: number,
  origin = "browser",
): Promise<string> {
  const values = { status: "running", generation: 1, origin } as const;
  const { taskId } = await storeTask(database.db, { id, defaultTeamId: personalTeamId }, values);
  await database.db.execute(
    sql`UPDATE tasks SET started_at = now() - ${seconds} * interval '1 second', source = jsonb_build_object('kind', ${origin}::text) WHERE id = ${taskId}`,
  );
  return taskId;
}

async function end(deps: Services, taskId: string, how: TaskEnd = completed(taskId)): Promise<void> {
  await finishTask(deps, idle(taskId, 1), { ...how, response: SECRET });
  await executeJob(deps, mailTaskEnd, taskId);
}

async function jobsOf(taskId: string): Promise<unknown[]> {
  const { rows } = await database.db.execute<{ kind: string }>(
    sql`SELECT kind FROM jobs WHERE payload ->> 'taskId' = ${taskId} ORDER BY kind`,
  );
  return rows.map(({ kind }) => kind);
}

it("the end of a long task is mailed once to a person who wants that, with a link and nothing that was said", async () => {
  const { deps, mails } = services();
  const taskId = await running(await person(), 61);
  await end(deps, taskId);
  expect(mails).toHaveLength(1);
  expect(mails[0]).toContain("https://workspace.test/app/projects/");
  expect(mails[0]).not.toContain(SECRET);
  // As if the job had been stored once more.
  await database.db.execute(
    sql`INSERT INTO jobs (kind, key, payload) VALUES ('mail-task-end', ${taskId}, ${JSON.stringify({ taskId })}::jsonb)`,
  );
  await executeJob(deps, mailTaskEnd, taskId);
  expect(mails).toHaveLength(1);
});

it("a mail that the queue has not taken is handed over by the next attempt", async () => {
  const { deps } = services();
  const taken: unknown[] = [];
  let isDown = true;
  const queue: Services["queue"] = partOf({
    publish: async (message: unknown) => {
      if (isDown) throw new Error("The queue is down");
      taken.push(message);
    },
  });
  const taskId = await running(await person(), 61);
  await finishTask(deps, idle(taskId, 1), completed(taskId));
  const attempt = () => executeJob({ ...deps, queue }, mailTaskEnd, taskId);
  // That the next attempt cannot be published either is left to the sweep.
  await expect(attempt()).rejects.toThrow("The queue is down");
  isDown = false;
  await database.db.execute(sql`UPDATE jobs SET due_at = now() WHERE key = ${taskId}`);
  await attempt();
  expect([taken.length, await jobsOf(taskId)]).toEqual([1, []]);
});

const CANCELLED = { status: "cancelled", response: null, completionReason: "cancelled" } as const;
type Case = { of?: Parameters<typeof mailReader>[1]; seconds?: number; origin?: string; how?: TaskEnd };

it.each<[string, Case]>([
  ["of a person who has not asked for it", { of: { wantsMail: false } }],
  ["of a person whose address nobody confirmed", { of: { isVerified: false } }],
  ["that took less than a minute", { seconds: 5 }],
  ["of a program", { origin: "api" }],
  ["that its person stopped", { how: CANCELLED }],
])("a task %s stores no job and sends no mail", async (_, { of, seconds = 3_600, origin, how }) => {
  const { deps, mails } = services();
  const taskId = await running(await person(of), seconds, origin);
  await finishTask(deps, idle(taskId, 1), how ?? completed(taskId));
  expect([mails, await jobsOf(taskId)]).toEqual([[], []]);
});

it("nothing is sent, and nothing fails, where mail is not configured", async () => {
  const { deps, mails } = services({ configured: false });
  const taskId = await running(await person(), 61);
  await end(deps, taskId);
  expect([mails, await jobsOf(taskId)]).toEqual([[], []]);
});

it("a question of a long task is mailed while it is open, once for the task, without the call", async () => {
  const { deps, mails } = services();
  const taskId = await running(await person(), 61);
  const ask = async (iteration: number) => {
    const call = { taskId, iteration, callId: newId(), tool: "bash_exec", parameters: { command: SECRET } };
    const { approval } = await requestApproval(deps, call, false);
    await executeJob(deps, mailTaskQuestion, approval.id);
  };
  await ask(1);
  await ask(2);
  expect(mails).toHaveLength(1);
  expect(mails[0]).toContain("Needs your input");
  expect(mails[0]).not.toContain(SECRET);
});

it("a person gets ten mails in an hour, and no more", async () => {
  const { deps, mails } = services();
  const owner = await person();
  for (let count = 0; count < 12; count += 1) await end(deps, await running(owner, 61));
  expect(mails).toHaveLength(10);
});

it("no mail goes to an address that is no longer confirmed when it is to be sent, nor about a question", async () => {
  const { deps, mails } = services();
  const owner = await person();
  const [ended, asks] = [await running(owner, 61), await running(owner, 61)];
  await finishTask(deps, idle(ended, 1), completed(ended));
  await database.db.execute(sql`UPDATE users SET is_verified = false WHERE id = ${owner.id}`);
  await executeJob(deps, mailTaskEnd, ended);
  const call = { taskId: asks, iteration: 1, callId: newId(), tool: "bash_exec", parameters: {} };
  await requestApproval(deps, call, false);
  expect([mails, await jobsOf(asks)]).toEqual([[], []]);
});
