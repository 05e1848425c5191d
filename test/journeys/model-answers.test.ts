import type { ServerResponse } from "node:http";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { usageLogs } from "#src/db/schema/index.ts";
import { newChatClient } from "#test/support/chat-client.ts";
import { toStream } from "#test/models/answering.ts";
import { fixtureLines } from "#test/models/fixture.ts";
import { databaseOf } from "#test/support/database.ts";
import { MODEL_WIRES } from "#test/support/model-servers.ts";
import { png } from "#test/support/pictures.ts";
import { failureOf, newProxyClient } from "#test/support/proxy-client.ts";
import { startRawProvider, type RawProvider } from "#test/support/raw-provider.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newTaskClient } from "#test/support/task-client.ts";

const text = ["Hel", "lo."];
/** Twenty million characters. */
const ENDLESS = Array.from({ length: 2000 }, () => "x".repeat(10_000));
/** Long enough that its estimate costs more than a cent. */
const QUESTION = "Many words. ".repeat(2000);

/** A picture that the provider refuses. */
const PICTURE = png(3, 2).toString("base64");

const BAD_COUNTS: Record<string, unknown> = {
  fractions: 1.5,
  negatives: -1000,
  "beyond 32 bits": 3_000_000_000,
  quadrillions: 1e15,
  words: "many",
  nothing: 0,
};

describe.each(MODEL_WIRES)("what $name sends", (wire) => {
  const isOver = Promise.withResolvers<void>();
  let provider: RawProvider;
  let elsewhere: RawProvider;
  let service: TestService;
  beforeAll(async () => {
    elsewhere = await startRawProvider(wire, {});
    const refusal = { type: "invalid_request_error", message: `bad\0thing ${"x".repeat(289)}\u{1F600} end` };
    const fixture = async (name: string) => {
      const stream = toStream(
        await fixtureLines(`${wire.model === "gpt-5" ? "openai" : "anthropic"}-${name}`),
      );
      return (response: ServerResponse) =>
        void response.writeHead(200, { "content-type": "text/event-stream" }).end(stream);
    };
    const counts = Object.entries(BAD_COUNTS).map(
      ([name, count]) => [`count in ${name}`, { text, usage: { input: count, output: count } }] as const,
    );
    provider = await startRawProvider(wire, {
      ...Object.fromEntries(counts),
      "count nothing": { text },
      "refuse oddly": (response) => {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: refusal }));
      },
      "write without end": { text: ENDLESS },
      "call without end": { text, call: ENDLESS },
      "point elsewhere": (response) => {
        response.writeHead(307, { location: `${elsewhere.origin}/v1/chat/completions` }).end();
      },
      "show a page": (response) => {
        response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>");
      },
      // What is asked for the title has the message in a tag.
      [String.raw`<message>\nname it late`]: { text: ["Late tulips"], after: isOver.promise },
      [PICTURE]: (response) => {
        response.writeHead(400, { "content-type": "application/json" });
        const message = "Could not process image";
        response.end(JSON.stringify({ error: { type: "invalid_request_error", message } }));
      },
      // Results of the calls that follow.
      "Wrote a.txt": { text },
      "more than 100 levels": { text },
      "There is no tool named": { text },
      "write halves of characters": await fixture("lone-surrogates"),
      "call by a longer name": await fixture("name-with-prefix"),
      "call what is not there": await fixture("names-that-are-none"),
      "nest deeply": { call: ['{"file_path":"a.txt","content":', "[".repeat(5000), "]".repeat(5000), "}"] },
      "end without an end": await fixture("cut-in-text"),
      "tell a secret": { text: ["Key ghp_16C7e42F292c6912E7710c838347Ae178B4a works"] },
      "": { text, usage: { input: 10, output: 5 } },
    });
    service = await startService({
      ...wire.variables(provider.origin),
      DEFAULT_MODEL: wire.model,
      MODEL_MAX_RETRIES: "1",
      KEY_RATE_BURST: "0",
    });
  });
  afterAll(async () => {
    await service.close();
    await provider.close();
    await elsewhere.close();
  });

  const saying = (content: string) => ({
    model: wire.model,
    messages: [{ role: "user" as const, content }],
  });
  /** What was asked with these words in it. */
  const askedWith = (words: string) =>
    provider.asked.filter(({ body }) => JSON.stringify(body).includes(words));

  it.each([
    ...Object.keys(BAD_COUNTS).map((name) => ({ words: `count in ${name}`, stream: false })),
    { words: "count in fractions", stream: true },
    { words: "count nothing", stream: false },
    { words: "count nothing", stream: true },
  ])("is given and paid for by an estimate, however it counts: $words, streamed: $stream", async (how) => {
    const { client, calls, balance, account } = await newProxyClient(service, { credits: 100 });
    const asked = { ...saying(`${how.words}. ${QUESTION}`), stream_options: { include_usage: true } };
    const answer = how.stream
      ? (await Array.fromAsync(await client.chat.completions.create({ ...asked, stream: true }))).at(-1)
      : await client.chat.completions.create({ ...asked, stream: false, stream_options: null });
    expect(answer?.usage?.prompt_tokens).toBeGreaterThan(QUESTION.length / 5);
    expect(answer?.usage?.prompt_tokens).toBeLessThan(QUESTION.length / 3);
    expect(answer?.usage?.completion_tokens).toBe(2);
    expect(await calls()).toMatchObject([
      { inputTokens: answer?.usage?.prompt_tokens, outputTokens: 2, billedStatus: "credited" },
    ]);
    expect(await balance()).toBeLessThan(99);
    const { body } = await service.call("GET", "/api/billing/usage", { token: account.token });
    expect(body).toMatchObject({ total_tokens_output: 2, total_requests: 1 });
  });

  it.each(["count in fractions", "count in quadrillions", "count nothing"])(
    "is the agent's answer and the chat's title however it counts: %s",
    async (words) => {
      const client = await newChatClient(service);
      const frames = await client.ask(words);
      expect(frames.filter(({ type }) => type === "complete")).toHaveLength(1);
      const calls = await vi.waitFor(async () => {
        const { id } = client.account;
        const rows = await databaseOf(service).select().from(usageLogs).where(eq(usageLogs.userId, id));
        // The title's may come after the end.
        expect(rows.map(({ purpose }) => purpose).toSorted()).toEqual(["agent", "title"]);
        return rows;
      });
      for (const call of calls) {
        expect(call).toMatchObject({ outputTokens: 2, billedStatus: "credited" });
        expect(call.inputTokens).toBeGreaterThan(10);
        expect(call.creditsDeducted).toBeGreaterThan(0);
      }
    },
  );

  it("for the title does not delay the end of the answer, and is taken and counted when it comes later", async () => {
    const client = await newChatClient(service);
    const { chatId, ...stream } = await client.send("name it late");
    const frames = await Array.fromAsync(stream.frames());
    isOver.resolve();
    expect(frames.slice(-3)).toMatchObject([
      { type: "complete", data: { success: true } },
      { type: "chat_title", data: { title: "name it late" } },
      { type: "done" },
    ]);
    await vi.waitFor(async () => {
      const { body } = await client.call<{ id: string; title: string }[]>("GET", "/api/chat/");
      expect(body.find(({ id }) => id === chatId)).toMatchObject({ title: "Late tulips" });
      const { id } = client.account;
      const rows = await databaseOf(service).select().from(usageLogs).where(eq(usageLogs.userId, id));
      expect(rows.map(({ purpose }) => purpose).toSorted()).toEqual(["agent", "title"]);
    });
  });

  it("against a picture leads to an answer without it, with a note of why", async () => {
    const client = await newChatClient(service);
    const attachments = [{ type: "image", content: PICTURE, label: "broken.png" }];
    const frames = await client.ask("what is broken", { attachments });
    expect(frames.at(-1)).toMatchObject({ type: "done", data: { status: "completed" } });
    const asked = askedWith("what is broken").map(({ body }) => JSON.stringify(body));
    const [refused, answered, ...more] = asked.filter((body) => body.includes('"tools"'));
    expect(refused).toContain(PICTURE);
    expect(answered).toContain("Could not process image");
    expect(answered).not.toContain(PICTURE);
    expect(more).toEqual([]);
  });

  it("against a request is told as it can be stored, once, and the task ends", async () => {
    const client = await newTaskClient(service);
    const { task_id: taskId } = await client.start("refuse oddly");
    await client.end(taskId);
    const status = await client.status(taskId);
    expect(status).toMatchObject({ status: "failed", completion_reason: "model_error" });
    expect(status.error).toMatch(/answered 400: bad\uFFFDthing x+$/u);
    expect(askedWith("refuse oddly")).toHaveLength(1);
  });

  it.each(["write without end", "call without end"])(
    "without an end is broken off, and not asked for again: %s",
    async (words) => {
      const { client, calls } = await newProxyClient(service, { credits: 5000 });
      const error = await failureOf(client.chat.completions.create({ ...saying(words), stream: false }));
      expect(error).toMatchObject({ status: 502, message: expect.stringMatching(/more than 1048576 char/u) });
      await vi.waitUntil(() => askedWith(words)[0]?.hungUp);
      expect(await calls()).toMatchObject([{ billedStatus: "credited" }]);

      const agent = await newTaskClient(service);
      const { task_id: taskId } = await agent.start(words);
      await agent.end(taskId);
      expect(await agent.status(taskId)).toMatchObject({
        status: "failed",
        completion_reason: "model_error",
        error: expect.stringMatching(/more than 1048576 characters/u),
      });
      expect(askedWith(words)).toHaveLength(2);
    },
  );

  it.each(["write halves of characters", "call by a longer name", "call what is not there", "nest deeply"])(
    "is stored and goes back as the provider takes it, whatever the model calls: %s",
    async (words) => {
      const client = await newTaskClient(service);
      const { task_id: taskId } = await client.start(words);
      await client.end(taskId);
      expect(await client.status(taskId)).toMatchObject({
        status: "completed",
        response: "Hello.",
        error: null,
      });
      expect(askedWith(words)).toHaveLength(2);
    },
  );

  it("without its end is asked for again, and then fails and says so", async () => {
    const client = await newTaskClient(service);
    const { task_id: taskId } = await client.start("end without an end");
    await client.end(taskId);
    expect(await client.status(taskId)).toMatchObject({
      status: "failed",
      completion_reason: "model_error",
      error: expect.stringMatching(/before the answer was complete/u),
    });
    expect(askedWith("end without an end")).toHaveLength(2);
  });

  it("is no title with a secret in it", async () => {
    const client = await newChatClient(service);
    const frames = await client.ask("tell a secret");
    expect(JSON.stringify(frames)).not.toContain("ghp_16C7");
    // The model's title may come after the end.
    await vi.waitFor(async () => {
      const { body } = await client.call<{ title: string | null }[]>("GET", "/api/chat/");
      expect(body.map(({ title }) => title)).toEqual([expect.stringContaining("«secret")]);
    });
  });

  it("as a redirect is not followed", async () => {
    const { client } = await newProxyClient(service);
    const error = await failureOf(client.chat.completions.create(saying("point elsewhere")));
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/answered 307, a redirect/u) });
    expect(elsewhere.asked).toEqual([]);
  });

  it("as a web page is reported as such", async () => {
    const { client } = await newProxyClient(service);
    const error = await failureOf(client.chat.completions.create(saying("show a page")));
    expect(error).toMatchObject({
      status: 502,
      message: expect.stringMatching(/web page: check its base URL/u),
    });
  });
});
