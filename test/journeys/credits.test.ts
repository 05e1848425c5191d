import { and, count, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chats, messages, tasks, teams, usageLogs, users } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { MODEL_WIRES, startModelServer } from "#test/support/model-servers.ts";
import { onlyCredits } from "#test/support/proxy-client.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newTaskClient, type TaskClient } from "#test/support/task-client.ts";

/** A call of a thousand and five hundred tokens costs a cent on each side. */
const usage = { prompt_tokens: 1000, completion_tokens: 500 };

let model: Awaited<ReturnType<typeof startModelServer>>;
let service: TestService;
beforeAll(async () => {
  const [wire] = MODEL_WIRES;
  if (!wire) throw new Error("There is no wire");
  model = await startModelServer(wire);
  const turn = (results: number, command: string) =>
    model.mock.on(
      {
        userMessage: "count up",
        predicate: ({ messages: sent }) => sent.filter(({ role }) => role === "tool").length === results,
      },
      {
        toolCalls: [{ id: `call_${results}`, name: "bash_exec", arguments: JSON.stringify({ command }) }],
        usage,
      },
    );
  turn(0, "echo one >> count.txt");
  turn(1, "echo two >> count.txt");
  turn(2, "echo three >> count.txt");
  model.mock.onMessage("count up", { content: "Counted.", usage });
  model.mock.onMessage("hello", { content: "Hello.", usage });
  model.mock.onMessage(/.*/u, { content: "A title", usage });
  service = await startService({ ...wire.variables(model.origin), DEFAULT_MODEL: wire.model });
});
afterAll(async () => {
  await service.close();
  await model.close();
});

/** Somebody with a project, and so many cents. */
async function clientWith(credits: number) {
  const client = await newTaskClient(service);
  const db = databaseOf(service);
  const [user] = await db.select().from(users).where(eq(users.id, client.account.id));
  const teamId = String(user?.defaultTeamId);
  const fund = (purchasedCredits: number) =>
    db.update(teams).set(onlyCredits(purchasedCredits)).where(eq(teams.id, teamId));
  await fund(credits);
  return { ...client, fund, teamId };
}

/** What is stored for somebody. */
async function rowsOf({ account }: TaskClient) {
  const db = databaseOf(service);
  const [[chatRows], [taskRows], [messageRows]] = await Promise.all([
    db.select({ total: count() }).from(chats).where(eq(chats.userId, account.id)),
    db.select({ total: count() }).from(tasks).where(eq(tasks.userId, account.id)),
    db
      .select({ total: count() })
      .from(messages)
      .innerJoin(chats, eq(chats.id, messages.chatId))
      .where(eq(chats.userId, account.id)),
  ]);
  return [chatRows?.total, taskRows?.total, messageRows?.total];
}

it("a registered person has a bonus and the credits of the day", async () => {
  const { token } = await service.signUp();
  const { body } = await service.call("GET", "/api/billing/credits", { token });
  expect(body).toEqual({
    bundled_credits: 0,
    purchased_credits: 0,
    signup_bonus_credits: 15_000,
    daily_credits: 5,
    total_credits: 15_005,
    monthly_allowance: 0,
    credits_reset_date: null,
    signup_bonus_expires_at: expect.stringMatching(/^\d{4}-.*Z$/u),
    tier: "free",
  });
  const status = await service.call("GET", "/api/billing/credits/status", { token });
  expect(status.body).toMatchObject({ total_credits: 15_005, is_low: false, is_empty: false, threshold: 0 });
});

it("without credits nothing begins and nothing is written", async () => {
  const client = await clientWith(0);
  const answer = await client.invoke("hello", {}, { "idempotency-key": "broke" });
  expect(answer).toMatchObject({ status: 402, body: { detail: "The team has no credits left" } });
  expect(await rowsOf(client)).toEqual([0, 0, 0]);
  const status = await service.call("GET", "/api/billing/credits/status", { token: client.account.token });
  expect(status.body).toMatchObject({ total_credits: 0, is_low: false, is_empty: true });
  // The key was not used up by the refusal.
  await client.fund(50);
  const again = await client.invoke("hello", {}, { "idempotency-key": "broke" });
  expect(again.status).toBe(200);
  expect((await client.end(again.body.task_id)).at(-1)?.type).toBe("done");
});

it("a request that was accepted is answered as before when the credits are gone by then", async () => {
  const client = await clientWith(50);
  const first = await client.invoke("hello", {}, { "idempotency-key": "kept" });
  await client.end(first.body.task_id);
  await client.fund(0);
  const again = await client.invoke("hello", {}, { "idempotency-key": "kept" });
  expect(again).toMatchObject({ status: 200, body: first.body });
  expect(await client.invoke("hello", {}, { "idempotency-key": "new" })).toMatchObject({ status: 402 });
});

it("a task that runs out of credits ends, says why, and keeps what was done", async () => {
  const client = await clientWith(3);
  const { task_id: taskId } = await client.start("count up");
  const events = await client.end(taskId);
  expect(await client.status(taskId)).toMatchObject({
    status: "failed",
    completion_reason: "insufficient_credits",
    error: expect.stringContaining("no credits left"),
  });
  expect(events.filter(({ type }) => type === "error").map(({ body }) => body)).toMatchObject([
    { error: expect.stringContaining("no credits left"), data: { code: "insufficient_credits" } },
  ]);
  const used = events.filter(({ type }) => type === "credits_used").map(({ body }) => body["data"]);
  const taken = used.map((data) => Number(Object(data).credits_deducted));
  expect(taken.reduce((sum, each) => sum + each, 0)).toBe(3);
  expect(used.at(-1)).toMatchObject({ new_balance: 0, is_byok: false });
  const file = await service.call<{ content: string }>(
    "GET",
    `/api/projects/${client.projectId}/files/count.txt`,
    { token: client.account.token },
  );
  expect(file.body.content).toMatch(/^one\n/u);
  const db = databaseOf(service);
  const rows = await db
    .select()
    .from(usageLogs)
    .where(and(eq(usageLogs.taskId, taskId), eq(usageLogs.purpose, "agent")));
  expect(rows.length).toBeGreaterThan(0);
  const { body } = await service.call("GET", "/api/billing/credits", { token: client.account.token });
  expect(body).toMatchObject({ total_credits: 0, purchased_credits: 0 });
});
