import type { api } from "@agent-workspace/client";
import { readFile } from "node:fs/promises";
import { eq, sql } from "drizzle-orm";
import { afterAll, describe, expect, it, vi } from "vitest";
import { taskTurns } from "#src/db/schema/index.ts";
import { startReceiver } from "#test/stand-ins/support/receiver.ts";
import { newChatClient, type ChatFrame } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { MODEL_WIRES } from "#test/support/model-servers.ts";
import type { ScriptedRequest } from "#test/support/scripted-provider.ts";
import { startService } from "#test/support/service.ts";
import { fundsIn } from "./support/funds.ts";
import { REFUSED_PICTURE, SECRET, startWorkingModels, THINKING } from "./support/working-models.ts";

const SEARCH_KEY = "a-search-key-of-the-operator";
const CLAUDE = "claude-sonnet-4-5";
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const titleIsOver = Promise.withResolvers<void>();

const web = await startReceiver(({ path }) => {
  if (path !== "/search/search") return { status: 204 };
  const found = [{ title: "Beds", url: "https://beds.test/", content: "About beds" }];
  return { status: 200, body: JSON.stringify({ results: found }) };
});
const provider = await startWorkingModels(titleIsOver.promise);
const service = await startService({
  ...Object.assign({}, ...MODEL_WIRES.map((wire) => wire.variables(provider.origin))),
  DEFAULT_MODEL: "gpt-5",
  PLATFORM_MODELS: CLAUDE,
  DEFAULT_THINKING_EFFORT: "low",
  MODEL_MAX_RETRIES: "1",
  OUTBOUND_ALLOW_PRIVATE: "true",
  TAVILY_API_KEY: SEARCH_KEY,
  TAVILY_API_BASE: `${web.url}/search/`,
  AGENT_DISCORD_WEBHOOK_URL: `${web.url}/api/webhooks/1/token`,
});
const funds = fundsIn(service);
afterAll(async () => {
  await service.close();
  await provider.close();
  await web.close();
});

const ofType = (frames: readonly ChatFrame[], type: string) => frames.filter((frame) => frame.type === type);
const completeOf = (frames: readonly ChatFrame[]) => ofType(frames, "complete")[0]?.data;
/** What the agent asked with these words in it. Titles are asked for without tools. */
const askedWith = (words: string) =>
  provider.asked.filter(({ body }) => body["tools"] && JSON.stringify(body).includes(words));

describe.each(MODEL_WIRES)("an agent whose model is at $name", (wire) => {
  const fields = { model: wire.model, edit_mode: "allow" };

  it("edits, tests and mends, looking at several things side by side, and its tokens are counted", async () => {
    const client = await newChatClient(service);
    const write = (path: string, content: string) =>
      client.call("PUT", `/api/projects/${client.projectId}/files/${path}`, { content });
    await write("sum.sh", "echo $(($1 - $2))\n");
    await write("test.sh", 'test "$(sh sum.sh 2 3)" = 5 && echo passed || { echo failed; exit 1; }\n');
    const frames = await client.ask("Please mend the sum", fields);
    const steps = ofType(frames, "agent_step").map(({ data }) => data?.["tool_results"]);
    expect(steps[1]).toMatchObject([{ success: false, stdout: "failed\n" }]);
    expect(steps[3]).toMatchObject([{ success: true, stdout: "passed\n" }]);
    const [first, second] = frames.filter(({ type }) => type.startsWith("tool_")).map(({ type }) => type);
    // Both begin before one of them has ended.
    expect([first, second]).toEqual(["tool_start", "tool_start"]);
    expect(completeOf(frames)).toMatchObject({
      success: true,
      final_response: "The sum is right now.",
      iterations: 5,
      tool_calls_made: 5,
      usage: { input_tokens: 50, output_tokens: 25 },
    });
  });

  it("is shown a picture of the project, which is not stored with the turn", async () => {
    const client = await newChatClient(service);
    // Drawn by a command: files are written over HTTP as text.
    const draw = { command: `echo ${PIXEL} | base64 -d > pixel.png`, project_id: client.projectId };
    expect(await client.call("POST", "/api/agent/execute", draw)).toMatchObject({ body: { success: true } });
    const before = provider.asked.length;
    const frames = await client.ask("Please look at the picture", fields);
    expect(completeOf(frames)).toMatchObject({ final_response: "One pixel." });
    const image =
      wire.model === CLAUDE
        ? { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }
        : { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}`, detail: "high" } };
    const parts = [{ type: "text" }, image];
    const [, seen] = provider.asked.slice(before).filter(({ body }) => body["tools"]);
    expect(seen?.messages.at(-1)).toMatchObject({
      role: "user",
      content: wire.model === CLAUDE ? [{ type: "tool_result", content: parts }] : parts,
    });
    expect(JSON.stringify(frames)).not.toContain(PIXEL);
  });
});

describe("an agent", () => {
  it("shows a secret of the project to no client, though tools and the model repeat it", async () => {
    const client = await newChatClient(service);
    const path = `/api/projects/${client.projectId}/files`;
    await client.call("PUT", `${path}/.env`, { content: `ADMIN_PASSWORD=${SECRET}\nPORT=3000\n` });
    const frames = await client.ask("Please show the secret", { edit_mode: "allow" });
    const said = "The password is «secret:ADMIN_PASSWORD», they say.";
    expect(completeOf(frames)).toMatchObject({ success: true, final_response: said });
    // The command ran with the value, not with its mark.
    expect((await client.call<{ content: string }>("GET", `${path}/copy.txt`)).body.content).toBe(
      `${SECRET}\n`,
    );
    const told = JSON.stringify(askedWith("show the secret").map(({ body }) => body));
    expect(told).toContain("«secret:ADMIN_PASSWORD»");
    for (const form of [SECRET, Buffer.from(`${SECRET}\n`).toString("base64")]) {
      expect(JSON.stringify(frames)).not.toContain(form);
      expect(told).not.toContain(form);
      expect(await readFile(service.stack.logFile, "utf8")).not.toContain(form);
      expect(await tablesWith(form)).toEqual([]);
    }
  });

  it("goes on without a picture that the provider refuses, with a note of why", async () => {
    const client = await newChatClient(service);
    const attachments = [{ type: "image", content: REFUSED_PICTURE, label: "broken.png" }];
    const frames = await client.ask("what is broken", { attachments });
    expect(frames.at(-1)).toMatchObject({ type: "done", data: { status: "completed" } });
    const [refused, answered, ...more] = askedWith("what is broken").map(({ body }) => JSON.stringify(body));
    expect(refused).toContain(REFUSED_PICTURE);
    expect(answered).toContain("Could not process image");
    expect(answered).not.toContain(REFUSED_PICTURE);
    expect(more).toEqual([]);
  });

  it("searches with the operator's key, and writes to the operator's webhook, which are shown nowhere", async () => {
    const client = await newChatClient(service);
    const frames = await client.ask("Please search the web", { edit_mode: "allow" });
    expect(ofType(frames, "tool_call").map(({ data }) => data?.["result"])).toMatchObject([
      {
        success: true,
        results: [{ title: "Beds", url: "https://beds.test/", snippet: "About beds" }],
      },
      { success: true, channel: "discord" },
    ]);
    const [search, message] = web.deliveries.toSorted((one, other) => other.path.localeCompare(one.path));
    expect(search).toMatchObject({ headers: { authorization: `Bearer ${SEARCH_KEY}` } });
    expect(message?.body).toContain("The beds are done");
    for (const hidden of [SEARCH_KEY, "/api/webhooks"]) expect(JSON.stringify(frames)).not.toContain(hidden);
  });
});

it("the title of a chat does not delay the end of the answer, and is taken and counted when it comes later", async () => {
  const client = await newChatClient(service);
  const { chatId, ...stream } = await client.send("name it late");
  const frames = await Array.fromAsync(stream.frames());
  titleIsOver.resolve();
  expect(frames.slice(-3)).toMatchObject([
    { type: "complete", data: { success: true } },
    { type: "chat_title", data: { title: "name it late" } },
    { type: "done" },
  ]);
  await vi.waitFor(async () => {
    const { body } = await client.call<{ id: string; title: string }[]>("GET", "/api/chat/");
    expect(body.find(({ id }) => id === chatId)).toMatchObject({ title: "Late tulips" });
    const calls = (await funds.callsOf(client)).toSorted((a, b) => a.purpose.localeCompare(b.purpose));
    expect(calls).toMatchObject(["agent", "title"].map((purpose) => ({ purpose, billedStatus: "credited" })));
  });
});

it("a model that thinks gets its thinking back as it came, also after a wait, and shows it beside the answer without secrets", async () => {
  const client = await newChatClient(service);
  const content = `ADMIN_PASSWORD=${SECRET}\nPORT=3000\n`;
  await client.call("PUT", `/api/projects/${client.projectId}/files/.env`, { content });
  const stream = await client.send("Please find the password", { model: CLAUDE, edit_mode: "ask" });
  const frames: ChatFrame[] = [];
  const kept: unknown[] = [];
  for await (const { id: _, ...frame } of stream.frames()) {
    frames.push(frame);
    if (frame.type !== "approval_required") continue;
    kept.push(...(await storedSteps(stream.taskId)).map((step) => step["kept"]));
    // The executor that goes on has only what is stored.
    const approval = { approval_id: frame.data?.["approval_id"], response: "allow_once" };
    await client.call("POST", "/api/chat/agent/approval", approval);
  }
  // At the second question the first turn is stored, encrypted.
  expect(kept).toEqual([expect.stringMatching(/^gAAAA/u)]);
  const asked = askedWith("find the password").map(({ body }) => body);
  expect(asked[2]).toMatchObject({ thinking: { type: "enabled", budget_tokens: 4_000 } });
  expect(askedWith("find the password").map((request) => turnsOf(request))).toEqual([
    [],
    THINKING.slice(0, 1),
    THINKING.slice(0, 2),
  ]);

  const thoughts = [
    "The settings may say it.",
    "It is «secret:ADMIN_PASSWORD», I see.\n\nBetter not to say it.",
    "That is enough.",
  ];
  expect(ofType(frames, "agent_step").map(({ data }) => data?.["thought"])).toEqual(thoughts);
  const messages = await client.call<api.ChatMessage[]>("GET", `/api/chat/session/${stream.chatId}/messages`);
  expect(messages.body.at(-1)).toMatchObject({
    content: "The password is set.",
    message_metadata: { steps: thoughts.map((thought) => ({ thought })) },
  });
  const stored = await storedSteps(stream.taskId);
  for (const shown of [frames, messages.body, stored]) {
    expect(JSON.stringify(shown)).not.toContain(SECRET);
    expect(JSON.stringify(shown)).not.toContain("c2lnbmF0dXJl");
  }
  // The thinking that only the next turn needed is deleted.
  expect(stored.map((step) => step["kept"] ?? null)).toEqual([null, null, null]);
});

const SENTENCE = "The team has no credits left";
const REFUSED = { status: 402, body: { detail: SENTENCE } };

describe("credits", () => {
  it("that are spent let nothing begin or be written; what was accepted before is answered as before", async () => {
    const client = await funds.clientWith(0);
    const invoke = (key: string) => client.invoke("hello", {}, { "idempotency-key": key });
    expect(await invoke("broke")).toMatchObject(REFUSED);
    expect(await funds.rowsOf(client)).toEqual([0, 0, 0]);
    const status = await service.call("GET", "/api/billing/credits/status", { token: client.account.token });
    expect(status.body).toMatchObject({ total_credits: 0, is_low: false, is_empty: true });
    // The key was not used up by the refusal.
    await client.fund(50);
    const accepted = await invoke("broke");
    expect(accepted.status).toBe(200);
    expect((await client.end(accepted.body.task_id)).at(-1)?.type).toBe("done");
    await client.fund(0);
    expect(await invoke("broke")).toMatchObject({ status: 200, body: accepted.body });
  });

  it("that are spent are named by each stream of a chat in its own way", async () => {
    const client = await newChatClient(service);
    await (await funds.fundsOf(client)).fund(0);
    const json = { project_id: client.projectId, message: "hello" };
    const data = { message: SENTENCE, code: "insufficient_credits" };
    const error = { type: "error", error: SENTENCE, content: SENTENCE, data };
    expect(await client.call("POST", "/api/chat/agent", { ...json, model: CLAUDE })).toMatchObject(REFUSED);
    expect(await client.ask("hello", { model: CLAUDE })).toEqual([error]);
    const { status, text } = await client.call("POST", "/api/chat/stream", json);
    expect([status, JSON.parse(text.replace(/^data: /u, ""))]).toEqual([200, error]);
    expect(await funds.rowsOf(client)).toEqual([0, 0, 0]);
  });

  it("pay for making a chat shorter, by no model that is switched off", async () => {
    const client = await newChatClient(service);
    const { fund, teamId } = await funds.fundsOf(client);
    await fund(50);
    const { chatId, ...first } = await client.send("hello");
    await Array.fromAsync(first.frames());
    for (let each = 2; each <= 3; each += 1) await client.ask("hello", { chat_id: chatId });
    const compact = () => client.call("POST", `/api/chat/${chatId}/compact`);
    const summaries = async () =>
      (await funds.callsOf(client)).filter(({ purpose }) => purpose === "compaction");
    await fund(0);
    expect(await compact()).toMatchObject(REFUSED);
    await fund(50);
    const offer = (enabled: boolean) =>
      client.call("PUT", "/api/secrets/model-preferences", { model_id: "builtin/gpt-5", enabled });
    await offer(false);
    const detail = expect.stringContaining("switched off");
    expect(await compact()).toMatchObject({ status: 400, body: { detail } });
    expect(await summaries()).toEqual([]);
    await offer(true);
    const body = { success: true, before_count: 6, after_count: 3, summary: expect.any(String) };
    expect(await compact()).toMatchObject({ status: 200, body });
    expect(await summaries()).toMatchObject([
      { teamId, projectId: client.projectId, creditsDeducted: 2, costTotal: 2, billedStatus: "credited" },
    ]);
  });

  it("pay for a turn that is cancelled: what had come of it, or its whole answer while a tool runs", async () => {
    const client = await funds.clientWith(50);
    const begun = await client.start("hold on, and stop");
    await vi.waitFor(() => expect(askedWith("hold on, and stop")).toHaveLength(1));
    await client.cancel(begun.task_id);
    await client.end(begun.task_id);
    const [broken, ...more] = await funds.callsOfTask(begun.task_id);
    expect(more).toEqual([]);
    expect(broken).toMatchObject({ iteration: 1, model: "builtin/gpt-5", billedStatus: "credited" });
    expect(broken?.inputTokens).toBeGreaterThan(1000);

    const slow = await client.start("sleep now");
    await client.event(slow.task_id, "tool_start");
    await client.cancel(slow.task_id);
    await client.end(slow.task_id);
    expect(await client.status(slow.task_id)).toMatchObject({ status: "cancelled", iterations: 1 });
    expect(await funds.callsOfTask(slow.task_id)).toMatchObject([
      { iteration: 1, inputTokens: 1000, outputTokens: 500, costTotal: 2, creditsDeducted: 2 },
    ]);
  });

  it("that end in the middle of a task end it, which says why and keeps what was done", async () => {
    const client = await funds.clientWith(3);
    const { task_id: taskId } = await client.start("count up");
    const events = await client.end(taskId);
    const error = expect.stringContaining("no credits left");
    const ended = { status: "failed", completion_reason: "insufficient_credits", error };
    expect(await client.status(taskId)).toMatchObject(ended);
    const told = events.filter(({ type }) => type === "error").map(({ body }) => body);
    expect(told).toMatchObject([{ error, data: { code: "insufficient_credits" } }]);
    // A turn costs two cents; the remaining cent pays for no further turn.
    const used = events.filter(({ type }) => type === "credits_used").map(({ body }) => body["data"]);
    expect(used).toMatchObject([{ credits_deducted: 2, new_balance: 1, is_byok: false }]);
    const { token } = client.account;
    const path = `/api/projects/${client.projectId}/files/count.txt`;
    expect((await service.call("GET", path, { token })).body).toMatchObject({ content: "one\n" });
    expect(await funds.callsOfTask(taskId)).toMatchObject([{ creditsDeducted: 2, billedStatus: "credited" }]);
    const { body } = await service.call("GET", "/api/billing/credits", { token });
    expect(body).toMatchObject({ total_credits: 1, purchased_credits: 1 });
  });
});

/** The assistant's turns in a request. */
const turnsOf = ({ messages }: ScriptedRequest) =>
  messages.filter(({ role }) => role === "assistant").map(({ content }) => content);

async function storedSteps(taskId: string) {
  const rows = await databaseOf(service)
    .select({ step: taskTurns.turnData })
    .from(taskTurns)
    .where(eq(taskTurns.taskId, taskId))
    .orderBy(taskTurns.turnIndex);
  return rows.map(({ step }) => step);
}

/** The tables that have this text in a row. */
async function tablesWith(text: string): Promise<string[]> {
  const db = databaseOf(service);
  const { rows: tables } = await db.execute<{ name: string }>(
    sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await db.execute(
        sql`SELECT 1 FROM ${sql.identifier(name)} AS t WHERE position(${text} IN to_jsonb(t)::text) > 0 LIMIT 1`,
      );
      return rows.length > 0 ? [name] : [];
    }),
  );
  return found.flat();
}
