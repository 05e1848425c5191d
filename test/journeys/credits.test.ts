import { and, count, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { chats, messages, tasks, teams, usageLogs, users } from "#src/db/schema/index.ts";
import { newChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { MODEL_WIRES, startModelServer } from "#test/support/model-servers.ts";
import { onlyCredits } from "#test/support/proxy-client.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newTaskClient, type TaskClient } from "#test/support/task-client.ts";
import { fieldsOf } from "#test/support/fields.ts";

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
  model.mock.onMessage("sleep now", {
    toolCalls: [{ id: "call_sleep", name: "bash_exec", arguments: '{"command":"sleep 60"}' }],
    usage,
  });
  const nothing = { prompt_tokens: 0, completion_tokens: 0 };
  model.mock.onMessage("uncounted", { content: "So it is", usage: nothing });
  model.mock.onMessage("hello", { content: "Hello.", usage });
  model.mock.onMessage(/.*/u, { content: "A title", usage });
  service = await startService({
    ...wire.variables(model.origin),
    DEFAULT_MODEL: wire.model,
    PLATFORM_MODELS: "vendor/model",
  });
});
afterAll(async () => {
  await service.close();
  await model.close();
});

const untilAsked = (message: string) =>
  vi.waitFor(() => expect(JSON.stringify(model.received.map(({ body }) => body))).toContain(message));

const callsOfTask = (taskId: string) =>
  databaseOf(service)
    .select()
    .from(usageLogs)
    .where(and(eq(usageLogs.taskId, taskId), eq(usageLogs.purpose, "agent")))
    .orderBy(usageLogs.iteration);

/** A person with a project, and so many cents. */
async function clientWith(credits: number) {
  const client = await newTaskClient(service);
  const funds = await fundsOf(client);
  await funds.fund(credits);
  return { ...client, ...funds };
}

/** The client's team, and a way to set its credits to so many cents. */
async function fundsOf({ account }: Pick<TaskClient, "account">) {
  const db = databaseOf(service);
  const [user] = await db.select().from(users).where(eq(users.id, account.id));
  const teamId = String(user?.defaultTeamId);
  const fund = (purchasedCredits: number) =>
    db.update(teams).set(onlyCredits(purchasedCredits)).where(eq(teams.id, teamId));
  return { fund, teamId };
}

/** What is stored for this client. */
async function rowsOf({ account }: Pick<TaskClient, "account">) {
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

const SENTENCE = "The team has no credits left";
const REFUSED = { status: 402, body: { detail: SENTENCE } };

it("without credits nothing begins and nothing is written; what was accepted before is answered as before", async () => {
  const client = await clientWith(0);
  const invoke = (key: string) => client.invoke("hello", {}, { "idempotency-key": key });
  expect(await invoke("broke")).toMatchObject(REFUSED);
  expect(await rowsOf(client)).toEqual([0, 0, 0]);
  const status = await service.call("GET", "/api/billing/credits/status", { token: client.account.token });
  expect(status.body).toMatchObject({ total_credits: 0, is_low: false, is_empty: true });
  // The key was not used up by the refusal.
  await client.fund(50);
  const accepted = await invoke("broke");
  expect(accepted.status).toBe(200);
  expect((await client.end(accepted.body.task_id)).at(-1)?.type).toBe("done");
  await client.fund(0);
  expect(await invoke("broke")).toMatchObject({ status: 200, body: accepted.body });
  expect(await invoke("new")).toMatchObject(REFUSED);
});

const WITHOUT_CREDITS = {
  type: "error",
  error: SENTENCE,
  content: SENTENCE,
  data: { message: SENTENCE, code: "insufficient_credits" },
};

it("a chat without credits begins nothing either, and streams say it in their own way", async () => {
  const client = await newChatClient(service);
  const { fund } = await fundsOf(client);
  await fund(0);
  const simple = { project_id: client.projectId, message: "hello" };
  expect(await client.call("POST", "/api/chat/agent", { ...simple, model: "vendor/model" })).toMatchObject(
    REFUSED,
  );
  expect(await client.ask("hello", { model: "vendor/model" })).toEqual([WITHOUT_CREDITS]);
  for (const path of ["/chat/stream", "/api/chat/stream"]) {
    const { status, text } = await client.call("POST", path, simple);
    expect([status, JSON.parse(text.replace(/^data: /u, ""))]).toEqual([200, WITHOUT_CREDITS]);
  }
  expect(await rowsOf(client)).toEqual([0, 0, 0]);
  await fund(50);
  const frames = await client.ask("hello", { model: "vendor/model" });
  expect(frames.at(-1)).toMatchObject({ data: { status: "completed" } });
});

it("making a chat shorter is paid for like any call, and asks no model that is switched off", async () => {
  const client = await newChatClient(service);
  const { fund, teamId } = await fundsOf(client);
  await fund(50);
  const { chatId, ...first } = await client.send("hello");
  await Array.fromAsync(first.frames());
  for (let each = 2; each <= 3; each += 1) await client.ask("hello", { chat_id: chatId });
  const compact = () => client.call("POST", `/api/chat/${chatId}/compact`);
  const summaries = () =>
    databaseOf(service)
      .select()
      .from(usageLogs)
      .where(and(eq(usageLogs.userId, client.account.id), eq(usageLogs.purpose, "compaction")));
  await fund(0);
  const asked = model.received.length;
  expect(await compact()).toMatchObject(REFUSED);
  await fund(50);
  const offer = (enabled: boolean) =>
    client.call("PUT", "/api/secrets/model-preferences", { model_id: "builtin/gpt-5", enabled });
  await offer(false);
  expect(await compact()).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("switched off") },
  });
  expect(model.received).toHaveLength(asked);
  expect(await summaries()).toEqual([]);
  await offer(true);
  expect(await compact()).toMatchObject({ status: 200, body: { success: true } });
  expect(await summaries()).toMatchObject([
    { teamId, projectId: client.projectId, creditsDeducted: 2, costTotal: 2, billedStatus: "credited" },
  ]);
});

it("a task that waited while the credits were spent asks no model", async () => {
  const client = await clientWith(50);
  const first = await client.start("hold on, the first");
  await untilAsked("hold on, the first");
  const second = await client.start("hello", { chat_id: first.chat_id });
  await client.fund(0);
  await client.cancel(first.task_id);
  await client.end(second.task_id);
  expect(await client.status(second.task_id)).toMatchObject({
    status: "failed",
    completion_reason: "insufficient_credits",
    iterations: 0,
  });
  expect(await callsOfTask(second.task_id)).toEqual([]);
});

it("a turn that is cancelled is paid for: by what had come of it, or by its whole answer while a tool runs", async () => {
  const client = await clientWith(50);
  const begun = await client.start("hold on, and stop");
  await untilAsked("hold on, and stop");
  await client.cancel(begun.task_id);
  await client.end(begun.task_id);
  const [broken, ...more] = await callsOfTask(begun.task_id);
  expect(more).toEqual([]);
  expect(broken).toMatchObject({ iteration: 1, model: "builtin/gpt-5", billedStatus: "credited" });
  expect(broken?.inputTokens).toBeGreaterThan(1000);

  const slow = await client.start("sleep now");
  await client.event(slow.task_id, "tool_start");
  await client.cancel(slow.task_id);
  await client.end(slow.task_id);
  expect(await client.status(slow.task_id)).toMatchObject({ status: "cancelled", iterations: 1 });
  expect(await callsOfTask(slow.task_id)).toMatchObject([
    { iteration: 1, inputTokens: 1000, outputTokens: 500, costTotal: 2, creditsDeducted: 2 },
  ]);
});

it("a turn that waits for a word is paid for before it waits, and not again with its end", async () => {
  const client = await newChatClient(service);
  const { fund, teamId } = await fundsOf(client);
  await fund(50);
  const teamNow = async () => (await databaseOf(service).select().from(teams).where(eq(teams.id, teamId)))[0];
  const stream = await client.send("count up", { edit_mode: "ask" });
  for await (const { type, data } of stream.frames()) {
    if (type !== "approval_required") continue;
    await vi.waitFor(async () => expect(await teamNow()).toMatchObject({ reservedCredits: 0 }));
    expect(await callsOfTask(stream.taskId)).toMatchObject([{ iteration: 1, creditsDeducted: 2 }]);
    const json = { approval_id: data?.["approval_id"], response: "allow_all" };
    expect(await client.call("POST", "/api/chat/agent/approval", json)).toMatchObject({ status: 200 });
  }
  const rows = await callsOfTask(stream.taskId);
  expect(new Set(rows.map(({ iteration }) => iteration))).toEqual(new Set([1, 2, 3, 4]));
  expect(rows).toHaveLength(4);
  expect(rows.every(({ costTotal, creditsDeducted }) => costTotal === 2 && creditsDeducted === 2)).toBe(true);
  // The first turn may cost all credits, so none are left for a title.
  expect(await teamNow()).toMatchObject({ purchasedCredits: 50 - 8, reservedCredits: 0 });
});

it("an answer without a count of tokens is paid for by our own", async () => {
  const client = await clientWith(50);
  const { task_id: taskId } = await client.start("uncounted");
  await client.end(taskId);
  const [call] = await callsOfTask(taskId);
  expect(call).toMatchObject({ outputTokens: 2, billedStatus: "credited" });
  expect(call?.inputTokens).toBeGreaterThan(1000);
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
  // A turn costs two cents; the remaining cent pays for no further turn.
  const taken = used.map((data) => Number(fieldsOf(data)["credits_deducted"]));
  expect(taken.reduce((sum, each) => sum + each, 0)).toBe(2);
  expect(used.at(-1)).toMatchObject({ new_balance: 1, is_byok: false });
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
  expect(rows).toMatchObject([{ costTotal: 2, creditsDeducted: 2, billedStatus: "credited" }]);
  const { body } = await service.call("GET", "/api/billing/credits", { token: client.account.token });
  expect(body).toMatchObject({ total_credits: 1, purchased_credits: 1 });
});
