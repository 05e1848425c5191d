import { connect } from "node:net";
import { eq } from "drizzle-orm";
import { afterAll, describe, expect, it, vi } from "vitest";
import { teams } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { MODEL_WIRES, PROVIDER_KEY } from "#test/support/model-servers.ts";
import { failureOf, newProxyClient, type ProxyClientInput } from "#test/support/proxy-client.ts";
import { startScriptedProvider } from "#test/support/scripted-provider.ts";
import { startService } from "#test/support/service.ts";
import { PROVIDER_SCRIPT } from "./support/provider-script.ts";

const GPT = "gpt-5";
const NOTED = `builtin/${GPT}`;
const CLAUDE = "claude-sonnet-4-5";
const PICTURE = "data:image/png;base64,iVBORw0KGgoAAAAN";
const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    description: "How the weather is",
    parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
  },
};

const provider = await startScriptedProvider(PROVIDER_SCRIPT);
const service = await startService({
  ...Object.assign({}, ...MODEL_WIRES.map((wire) => wire.variables(provider.origin))),
  OPENAI_API_BASE: `${provider.origin}/v1`,
  ANTHROPIC_API_BASE: `${provider.origin}/v1`,
  DEFAULT_MODEL: GPT,
  PLATFORM_MODELS: CLAUDE,
  MODEL_MAX_RETRIES: "0",
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

const newClient = (input?: ProxyClientInput) => newProxyClient(service, input);
const saying = (content: string, model = GPT) => ({ model, messages: [{ role: "user" as const, content }] });
const hello = saying("hello");
const lastBody = () => provider.asked.at(-1)?.body ?? {};

describe.each(MODEL_WIRES)("the official client of $name", ({ model }) => {
  it("gets a whole answer, and a stream with the usage in the last chunk where it asks for it", async () => {
    const { client, calls, balance } = await newClient({ credits: 100 });
    const counted = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
    const message = { role: "assistant", content: "Hello to you, too." };
    expect(await client.chat.completions.create(saying("hello", model))).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/u),
      object: "chat.completion",
      model,
      choices: [{ index: 0, finish_reason: "stop", message }],
      usage: counted,
    });
    const [paid] = await calls();
    const noted = { purpose: "proxy", model: `builtin/${model}`, inputTokens: 1000, outputTokens: 500 };
    expect(paid).toMatchObject({ ...noted, billedStatus: "credited", isByok: false });
    expect(await balance()).toBe(100 - (paid?.creditsDeducted ?? 0));

    const asked = { ...saying("hello", model), stream: true } as const;
    const options = { stream_options: { include_usage: true } };
    const chunks = await Array.fromAsync(await client.chat.completions.create({ ...asked, ...options }));
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Hello to you, too.");
    expect(chunks.length).toBeGreaterThan(3);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    expect(chunks.at(-2)?.choices).toMatchObject([{ delta: {}, finish_reason: "stop" }]);
    expect(chunks.at(-1)).toMatchObject({ object: "chat.completion.chunk", choices: [], usage: counted });
    expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual(chunks.slice(1).map(() => null));
    const plain = await Array.fromAsync(await client.chat.completions.create(asked));
    expect(plain.filter((chunk) => "usage" in chunk)).toEqual([]);
  });

  it("gets tool calls, whole or in a stream, and an answer to their results", async () => {
    const { client } = await newClient();
    const question = { role: "user" as const, content: "how is the weather" };
    const asked = { model, messages: [question], tools: [weather] };
    const whole = await client.chat.completions.create({ ...asked, tool_choice: "required" });
    const called = { type: "function", function: { name: "weather", arguments: '{"place":"Bonn"}' } };
    expect(whole.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: null, tool_calls: [called] },
    });
    expect(JSON.stringify(lastBody())).toContain("How the weather is");
    expect(lastBody()["tool_choice"]).toEqual(model === GPT ? "required" : { type: "any" });
    // The client's own helper puts the chunks together again.
    const message = await client.chat.completions.stream(asked).finalMessage();
    expect(message.tool_calls).toMatchObject([{ function: called.function }]);
    const [call] = message.tool_calls ?? [];
    const result = { role: "tool" as const, tool_call_id: call?.id ?? "", content: "Rain" };
    const answer = await client.chat.completions.create({ ...asked, messages: [question, message, result] });
    expect(answer.choices[0]?.message.content).toBe("It rains in Bonn.");
  });

  it("has its options, pictures, names and instructions passed on where they stand", async () => {
    const { client } = await newClient();
    const schema = { type: "object", additionalProperties: false };
    const json_schema = { name: "greeting", schema, strict: true };
    await client.chat.completions.create({
      model: `builtin/${model}`,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: [{ type: "text", text: "Be kind." }] },
        { role: "user", content: "first", name: "ann" },
        { role: "system", content: "Be calm." },
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: PICTURE, detail: "low" } },
            { type: "text", text: "hello" },
          ],
        },
      ],
      temperature: 1.5,
      max_tokens: 77,
      stop: ["END"],
      response_format: { type: "json_schema", json_schema },
      metadata: { a: "b" },
      // @ts-expect-error -- The client does not know it either.
      something_new: { deep: true },
    });
    expect(JSON.stringify(lastBody())).not.toContain("something_new");
    const ofOpenAi = {
      model: GPT,
      temperature: 1.5,
      max_completion_tokens: 77,
      stop: ["END"],
      response_format: { type: "json_schema", json_schema },
      messages: [
        { role: "system", content: "Be brief.\n\nBe kind." },
        { role: "user", content: "first", name: "ann" },
        { role: "system", content: "Be calm." },
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: PICTURE, detail: "low" } },
            { type: "text", text: "hello" },
          ],
        },
      ],
    };
    const ofAnthropic = {
      model: CLAUDE,
      temperature: 1,
      max_tokens: 77,
      stop_sequences: ["END"],
      output_config: { format: { type: "json_schema", schema } },
      system: [{ text: "Be brief.\n\nBe kind.\n\nBe calm." }],
      messages: [{ role: "user", content: [{ text: "first" }, { type: "image" }, { text: "hello" }] }],
    };
    expect(lastBody()).toMatchObject(model === GPT ? ofOpenAi : ofAnthropic);
  });

  it.each([
    { logit_bias: { "50256": -100 } },
    { reasoning_effort: "low" as const },
    { messages: [{ role: "system" as const, content: "Say hello." }] },
  ])("has passed on what one protocol knows, and is told where the other does not: %o", async (field) => {
    const { client } = await newClient();
    const before = provider.asked.length;
    const asking = client.chat.completions.create({ ...saying("hello", model), ...field });
    const outcome: unknown = await asking.catch((error: unknown) => error);
    const message = expect.stringContaining(`${Object.keys(field)[0]}: Anthropic's protocol`);
    expect(outcome).toMatchObject(model === GPT ? { object: "chat.completion" } : { status: 400, message });
    expect(provider.asked.slice(before)).toMatchObject(model === GPT ? [{ body: field }] : []);
  });
});

describe("a caller of the proxy", () => {
  it("uses a person's own key, which costs no credits and is noted as exempt", async () => {
    const { client, account, teamId, calls } = await newClient({ credits: 0 });
    const pro = { subscriptionTier: "pro" } as const;
    await databaseOf(service).update(teams).set(pro).where(eq(teams.id, teamId));
    const json = { provider: "openai", api_key: "sk-own-abcdefghijklmnop" };
    await service.call("POST", "/api/secrets/api-keys", { token: account.token, json });
    await client.chat.completions.create(saying("hello", `openai/${GPT}`));
    expect(JSON.stringify(provider.asked.at(-1)?.headers)).toContain(json.api_key);
    const exempt = { isByok: true, billedStatus: "exempt", creditsDeducted: 0, inputTokens: 1000 };
    expect(await calls()).toMatchObject([{ model: `openai/${GPT}`, ...exempt }]);
  });

  it("finds what was paid in the usage of the key, in the statistics and in the list of calls", async () => {
    const { client, account, key } = await newClient({ credits: 100 });
    await client.chat.completions.create(hello);
    const told = await service.call("GET", "/api/v1/usage", { token: key });
    expect(told.body).toEqual({
      credits: { daily: 0, bundled: 0, bonus: 0, purchased: 98, total: 98 },
      usage_30d: {
        total_requests: 1,
        total_cost_cents: 2,
        total_tokens_in: 1000,
        total_tokens_out: 500,
        by_model: [{ model: NOTED, requests: 1, cost_cents: 2 }],
      },
    });
    const usageAt = (path: string) =>
      service.call("GET", `/api/billing/usage${path}`, { token: account.token });
    const part = { cost_cents: 2, cost_total: 2, tokens_input: 1000, tokens_output: 500, requests: 1 };
    expect((await usageAt("")).body).toMatchObject({
      total_cost_cents: 2,
      total_cost_usd: 0.02,
      total_requests: 1,
      by_model: { [NOTED]: part },
      by_agent: { default: part },
    });
    const log = { model: NOTED, cost_total_cents: 2, billed_status: "credited", purpose: "proxy" };
    expect((await usageAt("/logs?limit=5")).body).toMatchObject({ logs: [log] });
    const later = await usageAt("?start_date=2999-01-01&end_date=2999-02-01");
    expect(later.body).toMatchObject({ total_requests: 0, by_model: {}, by_agent: {} });
  });

  it("without credits is refused before the provider is called", async () => {
    const { client } = await newClient({ credits: 0 });
    const before = provider.asked.length;
    const broke = { status: 402, code: "insufficient_credits", type: "insufficient_quota" };
    for (const stream of [false, true]) {
      expect(await failureOf(client.chat.completions.create({ ...hello, stream }))).toMatchObject(broke);
    }
    expect(provider.asked.length).toBe(before);
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
      const asked = { ...saying("break off"), stream: true } as const;
      for await (const chunk of await client.chat.completions.create(asked)) {
        parts.push(chunk.choices[0]?.delta.content ?? "");
      }
    };
    expect(await failureOf(read())).toMatchObject({ type: "proxy_error", status: undefined });
    expect(parts.join("")).toBe("Hel");
    expect(await calls()).toMatchObject([{ purpose: "proxy", creditsDeducted: 2, outputTokens: 1 }]);
    const json = { ...saying("break off"), stream: true };
    const raw = await service.call("POST", "/api/v1/chat/completions", { token: key, json });
    const lines = raw.text.trimEnd().split("\n\n");
    expect(lines.at(-2)).toMatch(/^data: \{"error":\{"message":"[^"]+","type":"proxy_error"/u);
    expect(lines.at(-1)).toBe("data: [DONE]");
  });

  it("ends the provider's call when it hangs up on a stream, and pays for what was done", async () => {
    const { client, calls } = await newClient({ credits: 50 });
    const before = provider.asked.length;
    const chunks = await client.chat.completions.create({ ...saying("hold on"), stream: true });
    for await (const { choices } of chunks) if (choices[0]?.delta.content === "Hel") break;
    await provider.asked[before]?.closed;
    await vi.waitUntil(async () => (await calls()).length > 0);
    expect(await calls()).toMatchObject([
      { purpose: "proxy", model: NOTED, outputTokens: 1, creditsDeducted: 2, billedStatus: "credited" },
    ]);
  });

  it("ends the provider's call when its connection is gone before a whole answer", async () => {
    const { key, calls } = await newClient({ credits: 50 });
    const before = provider.asked.length;
    const { hostname, port } = new URL(service.url);
    const body = JSON.stringify({ ...saying("hold on"), stream: false });
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /api/v1/chat/completions HTTP/1.1\r\nhost: service\r\nauthorization: Bearer ${key}\r\n` +
          `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ),
    );
    const held = await vi.waitUntil(() => provider.asked[before]);
    socket.resetAndDestroy();
    await held.closed;
    await vi.waitUntil(async () => (await calls()).length > 0);
    expect(await calls()).toMatchObject([{ purpose: "proxy", model: NOTED, billedStatus: "credited" }]);
  });
});
