import { connect } from "node:net";
import { eq, sql } from "drizzle-orm";
import { OpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { teams } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { MODEL_WIRES, PROVIDER_KEY, startModelServer } from "#test/support/model-servers.ts";
import { failureOf, newProxyClient, type ProxyClientWish } from "#test/support/proxy-client.ts";
import { startService, type TestService } from "#test/support/service.ts";

const usage = { prompt_tokens: 1000, completion_tokens: 500, input_tokens: 1000, output_tokens: 500 };
const PICTURE = "data:image/png;base64,iVBORw0KGgoAAAAN";

const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    description: "How the weather is",
    parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  },
};

describe.each(MODEL_WIRES)("the official client on $name", (wire) => {
  let model: Awaited<ReturnType<typeof startModelServer>>;
  let service: TestService;
  beforeAll(async () => {
    model = await startModelServer(wire);
    const { mock } = model;
    mock.on(
      { userMessage: "weather", predicate: ({ messages }) => !messages.some(({ role }) => role === "tool") },
      { toolCalls: [{ id: "call_1", name: "weather", arguments: '{"place":"Bonn"}' }], usage },
    );
    mock.onMessage("weather", { content: "It rains in Bonn.", usage });
    mock.onMessage("too often", { error: { message: "Slow down" }, status: 429, retryAfter: 7 });
    mock.onMessage("broken", { error: { message: `Server error for ${PROVIDER_KEY}` }, status: 500 });
    mock.onMessage("wrong key", { error: { message: `Incorrect API key: ${PROVIDER_KEY}` }, status: 401 });
    mock.onMessage("nonsense", { error: { message: "temperature: no" }, status: 400 });
    mock.onMessage("hello", { content: "Hello to you, too.", usage });
    service = await startService({
      ...wire.variables(model.origin),
      DEFAULT_MODEL: wire.model,
      MODEL_MAX_RETRIES: "0",
      KEY_RATE_BURST: "0",
    });
  });
  afterAll(async () => {
    await service.close();
    await model.close();
  });

  const newClient = (wish?: ProxyClientWish) => newProxyClient(service, wish);
  const hello = { model: wire.model, messages: [{ role: "user" as const, content: "hello" }] };
  const saying = (content: string) => ({ ...hello, messages: [{ role: "user" as const, content }] });
  const noted = `builtin/${wire.model}`;
  const lastBody = () => model.received.at(-1)?.body ?? {};

  it("gets a whole answer, which is counted and paid for", async () => {
    const { client, calls, balance, account, key } = await newClient({ credits: 100 });
    const answer = await client.chat.completions.create(hello);
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/u),
      object: "chat.completion",
      model: wire.model,
      choices: [
        { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello to you, too." } },
      ],
      usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
    });
    const [call, ...more] = await calls();
    expect(more).toEqual([]);
    expect(call).toMatchObject({
      purpose: "proxy",
      model: noted,
      inputTokens: 1000,
      outputTokens: 500,
      costInput: 1,
      costOutput: 1,
      creditsDeducted: 2,
      billedStatus: "credited",
      isByok: false,
    });
    expect(await balance()).toBe(98);
    const told = await service.call("GET", "/api/v1/usage", { token: key });
    expect(told.body).toEqual({
      credits: { daily: 0, bundled: 0, bonus: 0, purchased: 98, total: 98 },
      usage_30d: {
        total_requests: 1,
        total_cost_cents: 2,
        total_tokens_in: 1000,
        total_tokens_out: 500,
        by_model: [{ model: noted, requests: 1, cost_cents: 2 }],
      },
    });
    const statistics = await service.call("GET", "/api/billing/usage", { token: account.token });
    const part = { cost_cents: 2, cost_total: 2, tokens_input: 1000, tokens_output: 500, requests: 1 };
    expect(statistics.body).toMatchObject({
      total_cost_cents: 2,
      total_cost_usd: 0.02,
      total_tokens_input: 1000,
      total_tokens_output: 500,
      total_requests: 1,
      by_model: { [noted]: part },
      by_agent: { default: part },
    });
    const logs = await service.call("GET", "/api/billing/usage/logs?limit=5", { token: account.token });
    expect(logs.body).toMatchObject({
      logs: [
        {
          model: noted,
          cost_total_cents: 2,
          billed_status: "credited",
          is_byok: false,
          purpose: "proxy",
        },
      ],
    });
    const later = await service.call("GET", "/api/billing/usage?start_date=2999-01-01&end_date=2999-02-01", {
      token: account.token,
    });
    expect(later.body).toMatchObject({ total_requests: 0, by_model: {}, by_agent: {} });
  });

  it("gets a stream, with the usage in the last chunk where it asks for it", async () => {
    const { client, calls } = await newClient();
    const options = { stream: true, stream_options: { include_usage: true } } as const;
    const chunks = await Array.fromAsync(await client.chat.completions.create({ ...hello, ...options }));
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Hello to you, too.");
    expect(chunks.length).toBeGreaterThan(3);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    expect(chunks.at(-2)?.choices).toMatchObject([{ delta: {}, finish_reason: "stop" }]);
    expect(chunks.at(-1)).toMatchObject({
      object: "chat.completion.chunk",
      choices: [],
      usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
    });
    expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual(chunks.slice(1).map(() => null));
    expect(await calls()).toMatchObject([{ inputTokens: 1000, outputTokens: 500, creditsDeducted: 2 }]);
    const plain = await Array.fromAsync(await client.chat.completions.create({ ...hello, stream: true }));
    expect(plain.filter((chunk) => "usage" in chunk)).toEqual([]);
  });

  it("gets tool calls, whole or in a stream, and an answer to their results", async () => {
    const { client } = await newClient();
    const question = { role: "user" as const, content: "weather" };
    const asked = { model: wire.model, messages: [question], tools: [weather] };
    const whole = await client.chat.completions.create({ ...asked, tool_choice: "required" });
    expect(whole.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "weather", arguments: '{"place":"Bonn"}' } },
        ],
      },
    });
    expect(JSON.stringify(lastBody())).toContain("How the weather is");
    expect(lastBody()["tool_choice"]).toEqual(wire.model === "gpt-5" ? "required" : { type: "any" });
    // The client's own helper puts the chunks together again.
    const run = client.chat.completions.stream(asked);
    const message = await run.finalMessage();
    expect(message.tool_calls).toMatchObject([
      { function: { name: "weather", arguments: '{"place":"Bonn"}' } },
    ]);
    const [call] = message.tool_calls ?? [];
    const result = { role: "tool" as const, tool_call_id: call?.id ?? "", content: "Rain" };
    const answer = await client.chat.completions.create({ ...asked, messages: [question, message, result] });
    expect(answer.choices[0]?.message.content).toBe("It rains in Bonn.");
  });

  it("has its options, pictures and system messages passed on, and unknown fields ignored", async () => {
    const { client } = await newClient();
    await client.chat.completions.create({
      model: noted,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: [{ type: "text", text: "Be kind." }] },
        {
          role: "user",
          content: [
            { type: "text", text: "hello" },
            { type: "image_url", image_url: { url: PICTURE, detail: "low" } },
            { type: "image_url", image_url: { url: "https://example.com/cat.png" } },
          ],
        },
      ],
      temperature: 1.5,
      top_p: 0.9,
      max_tokens: 77,
      stop: ["END"],
      seed: 5,
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "greeting",
          schema: { type: "object", additionalProperties: false },
          strict: true,
        },
      },
      user: "somebody",
      metadata: { a: "b" },
      // @ts-expect-error -- The client does not know it either.
      something_new: { deep: true },
    });
    const sent = JSON.stringify(lastBody());
    expect(sent).toContain("Be brief.\\n\\nBe kind.");
    expect(sent).toContain("https://example.com/cat.png");
    expect(sent).toContain(PICTURE.slice(PICTURE.indexOf(",") + 1));
    expect(sent).not.toContain("something_new");
    const schema = { type: "object", additionalProperties: false };
    expect(lastBody()).toMatchObject(
      wire.model === "gpt-5"
        ? {
            model: "gpt-5",
            temperature: 1.5,
            top_p: 0.9,
            max_completion_tokens: 77,
            stop: ["END"],
            seed: 5,
            response_format: { type: "json_schema", json_schema: { name: "greeting", schema, strict: true } },
          }
        : {
            model: "claude-sonnet-4-5",
            temperature: 1,
            top_p: 0.9,
            max_tokens: 77,
            stop_sequences: ["END"],
            output_config: { format: { type: "json_schema", schema } },
          },
    );
  });

  it("gets one of the models, and is told in its own words of what is not there", async () => {
    const { client, key } = await newClient();
    for (const id of [wire.model, noted]) {
      expect(await client.models.retrieve(id)).toMatchObject({
        id: noted,
        object: "model",
      });
    }
    expect(await failureOf(client.models.retrieve("unheard-of"))).toMatchObject({
      status: 404,
      message: expect.stringMatching(/no such model/u),
    });
    const embedding = client.embeddings.create({ model: "m", input: "a" });
    expect(await failureOf(embedding)).toMatchObject({
      status: 404,
      type: "invalid_request_error",
      message: "404 Not Found",
    });
    const asked = await service.call("GET", "/api/v1/chat/completions", { token: key });
    expect(asked).toMatchObject({
      status: 405,
      body: { detail: "Method Not Allowed", error: { message: "Method Not Allowed" } },
    });
  });

  it("gets an error for a refused request before the provider is called", async () => {
    const { client, key } = await newClient({ credits: 0 });
    const before = model.received.length;
    const broke = await failureOf(client.chat.completions.create(hello));
    expect(broke).toMatchObject({
      status: 402,
      code: "insufficient_credits",
      type: "insufficient_quota",
      message: expect.stringContaining("no credits left"),
    });
    const brokeStream = await failureOf(client.chat.completions.create({ ...hello, stream: true }));
    expect(brokeStream).toMatchObject({ status: 402, code: "insufficient_credits" });
    const nobody = await failureOf(client.chat.completions.create({ ...hello, model: "unheard-of" }));
    expect(nobody).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      message: expect.stringContaining("unheard-of"),
    });
    const without = await failureOf(client.chat.completions.create({ ...hello, model: "groq/llama" }));
    expect(without).toMatchObject({ status: 400, message: expect.stringMatching(/no API key/u) });
    const stranger = new OpenAI({ apiKey: "tsk_wrong", baseURL: `${service.url}/api/v1`, maxRetries: 0 });
    expect(await failureOf(stranger.chat.completions.create(hello))).toMatchObject({
      status: 401,
      type: "authentication_error",
    });
    const limited = await newClient({ scopes: ["usage.read"] });
    expect(await failureOf(limited.client.chat.completions.create(hello))).toMatchObject({
      status: 403,
      type: "permission_error",
    });
    const raw = await service.call("POST", "/api/v1/chat/completions", {
      token: key,
      json: { model: wire.model },
    });
    expect(raw).toMatchObject({
      status: 422,
      body: {
        detail: expect.stringContaining("messages"),
        error: {
          message: expect.stringContaining("messages"),
          type: "invalid_request_error",
          code: "invalid_body",
        },
      },
    });
    expect(model.received.length).toBe(before);
  });

  it.each([
    ["is asked too often", "too often", 429, "rate_limit_error", /answered 429/u],
    ["fails", "broken", 502, "proxy_error", /answered 500/u],
    ["refuses the platform's key", "wrong key", 502, "proxy_error", /answered 401/u],
    ["refuses the request", "nonsense", 400, "invalid_request_error", /temperature: no/u],
  ])("is told when the provider %s, which costs nothing", async (_, content, status, type, sentence) => {
    const { client, calls, balance } = await newClient({ credits: 50 });
    for (const stream of [false, true]) {
      const error = await failureOf(client.chat.completions.create({ ...saying(content), stream }));
      expect(error).toMatchObject({ status, type, message: expect.stringMatching(sentence) });
      expect(JSON.stringify(error)).not.toContain(PROVIDER_KEY.slice(0, 14));
      expect(error.headers?.has("retry-after")).toBe(status === 429);
    }
    expect(await calls()).toEqual([]);
    expect(await balance()).toBe(50);
  });

  it("is told in the stream when the provider breaks off, and pays for what came", async () => {
    const { client, calls, key } = await newClient({ credits: 50 });
    const parts: string[] = [];
    const read = async () => {
      for await (const chunk of await client.chat.completions.create({
        ...saying("break off"),
        stream: true,
      })) {
        parts.push(chunk.choices[0]?.delta.content ?? "");
      }
    };
    expect(await failureOf(read())).toMatchObject({ type: "proxy_error", status: undefined });
    expect(parts.join("")).toBe("Hel");
    expect(await calls()).toMatchObject([{ purpose: "proxy", creditsDeducted: 2, outputTokens: 1 }]);
    const raw = await service.call("POST", "/api/v1/chat/completions", {
      token: key,
      json: { ...saying("break off"), stream: true },
    });
    const lines = raw.text.trimEnd().split("\n\n");
    expect(lines.at(-2)).toMatch(/^data: \{"error":\{"message":"[^"]+","type":"proxy_error"/u);
    expect(lines.at(-1)).toBe("data: [DONE]");
  });

  it("ends the provider's call when it hangs up on a stream, and pays for what was done", async () => {
    const { client, calls } = await newClient({ credits: 50 });
    const before = model.received.length;
    const chunks = await client.chat.completions.create({ ...saying("hold on"), stream: true });
    for await (const { choices } of chunks) if (choices[0]?.delta.content === "Hel") break;
    await model.received[before]?.closed;
    await vi.waitUntil(async () => (await calls()).length > 0);
    expect(await calls()).toMatchObject([
      { purpose: "proxy", model: noted, outputTokens: 1, creditsDeducted: 2, billedStatus: "credited" },
    ]);
  });

  it("ends the provider's call when its connection is gone before a whole answer", async () => {
    const { key, calls } = await newClient({ credits: 50 });
    const before = model.received.length;
    const { hostname, port } = new URL(service.url);
    const body = JSON.stringify({ ...saying("hold on"), stream: false });
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /api/v1/chat/completions HTTP/1.1\r\nhost: service\r\nauthorization: Bearer ${key}\r\n` +
          `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ),
    );
    const held = await vi.waitUntil(() => model.received[before]);
    socket.resetAndDestroy();
    await held.closed;
    await vi.waitUntil(async () => (await calls()).length > 0);
    expect(await calls()).toMatchObject([{ purpose: "proxy", model: noted, billedStatus: "credited" }]);
  });

  it("streams to clients that do not say, unless they accept JSON only", async () => {
    const { key } = await newClient();
    const ask = async (accept: string) => {
      const headers = { accept };
      return service.call("POST", "/api/v1/chat/completions", { token: key, json: hello, headers });
    };
    for (const accept of ["*/*", "text/event-stream", "application/json, text/event-stream"]) {
      const { headers, text } = await ask(accept);
      expect(headers.get("content-type")).toMatch(/^text\/event-stream/u);
      expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    }
    expect((await ask("application/json")).body).toMatchObject({ object: "chat.completion" });
  });

  it("sees the models with their prices", async () => {
    const { client, key, teamId } = await newClient();
    const pricing = wire.model === "gpt-5" ? [1.25, 10] : [3, 15];
    const listed = await Array.fromAsync(client.models.list());
    expect(listed).toMatchObject([
      {
        id: noted,
        object: "model",
        is_byok: false,
        pricing: { input_per_1m: pricing[0], output_per_1m: pricing[1] },
      },
    ]);
    const { body } = await service.call("GET", "/api/v1/models", { token: key });
    expect(body).toMatchObject({
      object: "list",
      providers: expect.arrayContaining([expect.objectContaining({ provider: "groq", has_key: false })]),
    });
    await databaseOf(service)
      .update(teams)
      .set({ disabledModels: sql`ARRAY[${`builtin/${wire.model}`}]` })
      .where(eq(teams.id, teamId));
    expect(await Array.fromAsync(client.models.list())).toEqual([]);
    expect(await failureOf(client.chat.completions.create(hello))).toMatchObject({ status: 400 });
  });
});
