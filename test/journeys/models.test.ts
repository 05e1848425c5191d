import { readFile } from "node:fs/promises";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { taskTurns, usageLogs } from "#src/db/schema/index.ts";
import { startReceiver } from "#test/local/support/receiver.ts";
import { newChatClient, type ChatFrame } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { MODEL_WIRES, PROVIDER_KEY } from "#test/support/model-servers.ts";
import type { ScriptedProvider, ScriptedRequest } from "#test/support/scripted-provider.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newTaskClient } from "#test/support/task-client.ts";
import { CALLS, REFUSED, SECRET, startWorkingModels, THINKING } from "./support/working-models.ts";

const SEARCH_KEY = "a-search-key-of-the-operator";
const CLAUDE = "claude-sonnet-4-5";
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let web: Awaited<ReturnType<typeof startReceiver>>;
let provider: ScriptedProvider;
let service: TestService;
const titleIsOver = Promise.withResolvers<void>();

beforeAll(async () => {
  web = await startReceiver(({ path }) => {
    if (path !== "/search/search") return { status: 204 };
    const found = [{ title: "Beds", url: "https://beds.test/", content: "About beds" }];
    return { status: 200, body: JSON.stringify({ results: found }) };
  });
  provider = await startWorkingModels(titleIsOver.promise);
  service = await startService({
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
});
afterAll(async () => {
  await service?.close();
  await provider?.close();
  await web?.close();
});

const ofType = (frames: readonly ChatFrame[], type: string) => frames.filter((frame) => frame.type === type);
const completeOf = (frames: readonly ChatFrame[]) => ofType(frames, "complete")[0]?.data;
/** What the agent asked with these words in it. Titles are asked for without tools. */
const askedWith = (words: string) =>
  provider.asked.filter(({ body }) => body["tools"] && JSON.stringify(body).includes(words));
const usageOf = ({ id }: { id: string }) =>
  databaseOf(service).select().from(usageLogs).where(eq(usageLogs.userId, id));

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

  it("says half a character, which is stored, and goes back as the provider takes it", async () => {
    const client = await newChatClient(service);
    const words = `half a character of ${wire.model === CLAUDE ? "anthropic" : "openai"}`;
    expect(completeOf(await client.ask(words, fields))).toMatchObject({ final_response: "Hello." });
    expect(askedWith(words)).toHaveLength(2);
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

  it("runs a hundred calls of one turn", async () => {
    const client = await newChatClient(service);
    const frames = await client.ask("Please do a hundred at once", { edit_mode: "allow" });
    expect(ofType(frames, "tool_call")).toHaveLength(CALLS);
    expect(completeOf(frames)).toMatchObject({ success: true, tool_calls_made: CALLS });
  });

  it("shows the model of a chat that is continued what was said, and which tools were called", async () => {
    const client = await newTaskClient(service);
    const first = await client.start("write a file");
    await client.end(first.task_id);
    const second = await client.start("and now the second", { chat_id: first.chat_id });
    await client.end(second.task_id);
    await client.end((await client.start("what now", { chat_id: first.chat_id })).task_id);
    const [request] = askedWith("what now");
    expect(request?.messages.slice(1)).toEqual([
      { role: "user", content: "write a file" },
      {
        role: "assistant",
        content: "Written.\n\n[Tools called for this, as the service noted: write_file a.txt ✓]",
      },
      { role: "user", content: "and now the second" },
      { role: "assistant", content: "Written." },
      { role: "user", content: "what now" },
    ]);
  });

  it("goes on without a picture that the provider refuses, with a note of why", async () => {
    const client = await newChatClient(service);
    const attachments = [{ type: "image", content: REFUSED, label: "broken.png" }];
    const frames = await client.ask("what is broken", { attachments });
    expect(frames.at(-1)).toMatchObject({ type: "done", data: { status: "completed" } });
    const [refused, answered, ...more] = askedWith("what is broken").map(({ body }) => JSON.stringify(body));
    expect(refused).toContain(REFUSED);
    expect(answered).toContain("Could not process image");
    expect(answered).not.toContain(REFUSED);
    expect(more).toEqual([]);
  });

  it("asks again where the provider was busy", async () => {
    const client = await newTaskClient(service);
    const { task_id: taskId } = await client.start("busy at first");
    await client.end(taskId);
    expect(await client.status(taskId)).toMatchObject({ status: "completed", response: "Now I have time." });
  });

  it("tells in words that can be stored why the provider refuses, without the key, and asks once", async () => {
    const client = await newTaskClient(service);
    const { task_id: taskId } = await client.start("refuse oddly");
    const events = await client.end(taskId);
    const status = await client.status(taskId);
    expect(status).toMatchObject({ status: "failed", completion_reason: "model_error" });
    expect(status.error).toMatch(/answered 400: bad\uFFFDthing \*\*\* x+/u);
    expect(
      events.filter(({ type }) => ["error", "done"].includes(type)).map(({ body }) => body),
    ).toMatchObject([
      { error: status.error, data: { message: status.error } },
      { status: "failed", error: status.error },
    ]);
    expect(JSON.stringify([events, status])).not.toContain(PROVIDER_KEY.slice(0, 16));
    expect(askedWith("refuse oddly")).toHaveLength(1);
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

describe("the title of a chat", () => {
  it("does not delay the end of the answer, and is taken and counted when it comes later", async () => {
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
      const calls = (await usageOf(client.account)).toSorted((a, b) => a.purpose.localeCompare(b.purpose));
      expect(calls).toMatchObject(
        ["agent", "title"].map((purpose) => ({ purpose, billedStatus: "credited" })),
      );
    });
  });

  it("has no secret in it", async () => {
    const client = await newChatClient(service);
    expect(JSON.stringify(await client.ask("tell a secret"))).not.toContain("ghp_16C7");
    await vi.waitFor(async () => {
      const { body } = await client.call<{ title: string | null }[]>("GET", "/api/chat/");
      expect(body.map(({ title }) => title)).toEqual([expect.stringContaining("«secret")]);
    });
  });
});

describe("a model that thinks", () => {
  it("gets its thinking back as it came, also after a wait, and shows it beside the answer without secrets", async () => {
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
    expect(asked).toHaveLength(3);
    for (const body of asked) {
      expect(body).toMatchObject({ thinking: { type: "enabled", budget_tokens: 4_000 }, max_tokens: 20_000 });
    }
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
    const said = ofType(frames, "text_delta").map(({ content: text }) => text);
    expect(said.join("")).toBe("I look into the settings.There it is.The password is set.");
    const messages = await client.call<{ message_metadata: unknown }[]>(
      "GET",
      `/api/chat/session/${stream.chatId}/messages`,
    );
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
