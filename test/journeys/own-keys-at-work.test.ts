import type { api } from "@agent-workspace/client";
import { eq } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { usageLogs, userApiKeys } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { startModelProvider } from "#test/support/model-provider.ts";
import { startService } from "#test/support/service.ts";
import { newTaskClient, type TaskClient } from "#test/support/task-client.ts";
import { setTier } from "#test/support/tiers.ts";

/** `hidden` is on no list of allowed addresses. */
const [openai, anthropic, own, hidden] = await Promise.all([
  startModelProvider(),
  startModelProvider(),
  startModelProvider(),
  startModelProvider(),
]);
const service = await startService({
  OPENAI_API_BASE: `${openai.url}/v1`,
  ANTHROPIC_API_BASE: `${anthropic.url}/v1`,
  OUTBOUND_ALLOWED_ORIGINS: own.url,
  MODEL_MAX_RETRIES: "0",
});
const db = databaseOf(service);
afterAll(async () => {
  await service.close();
  await Promise.all([openai, anthropic, own, hidden].map((each) => each.close()));
});
beforeEach(() => {
  for (const each of [openai, anthropic, own, hidden]) Object.assign(each, { calls: [], before: undefined });
});

const KEYS = { openai: "sk-openai-0123456789abcdef", anthropic: "sk-ant-0123456789abcdef" };

/** A person of the tier Pro, with a project. */
async function newPerson(): Promise<TaskClient> {
  const client = await newTaskClient(service);
  await setTier(db, client.account.id, "pro");
  return client;
}

async function storeKey({ account }: TaskClient, fields: Record<string, unknown>): Promise<string> {
  const { token } = account;
  const answer = await service.call<{ key_id: string }>("POST", "/api/secrets/api-keys", {
    token,
    json: fields,
  });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.key_id;
}

async function addProvider({ account }: TaskClient, fields: Record<string, unknown>): Promise<void> {
  const path = "/api/secrets/providers/custom";
  const json = { name: "Own", slug: "own", base_url: `${own.url}/v1`, ...fields };
  expect(await service.call("POST", path, { token: account.token, json })).toMatchObject({ status: 200 });
}

/** Begin work with a model, through an agent that has it. */
async function begin(client: TaskClient, model: string, message: string): Promise<string> {
  const agent = await service.call<{ id: string }>("POST", "/api/agents", {
    token: client.account.token,
    json: { name: "Worker", model },
  });
  expect(agent).toMatchObject({ status: 201, body: { model } });
  return (await client.start(message, { agent_id: agent.body.id })).task_id;
}

async function run(client: TaskClient, model: string, message = "Say hello") {
  const taskId = await begin(client, model, message);
  const events = await client.end(taskId);
  return { taskId, events, status: await client.status(taskId) };
}

describe("a call on a person's own key", () => {
  it.each([
    {
      model: "openai/gpt-5",
      at: () => openai,
      call: {
        path: "/v1/chat/completions",
        model: "gpt-5",
        headers: { authorization: `Bearer ${KEYS.openai}` },
      },
    },
    {
      model: "anthropic/claude-sonnet-4-5",
      at: () => anthropic,
      call: {
        path: "/v1/messages",
        model: "claude-sonnet-4-5",
        headers: { "x-api-key": KEYS.anthropic },
      },
    },
  ])("goes to its provider and to no other: $model", async ({ model, at, call }) => {
    const client = await newPerson();
    for (const [provider, api_key] of Object.entries(KEYS)) await storeKey(client, { provider, api_key });
    const { status, taskId } = await run(client, model, "two turns");
    expect(status).toMatchObject({ status: "completed", response: "The work is done." });
    expect(at().calls.length).toBeGreaterThanOrEqual(2);
    for (const made of at().calls) expect(made).toMatchObject(call);
    const others = [openai, anthropic, own].filter((each) => each !== at());
    expect(others.flatMap(({ calls }) => calls)).toEqual([]);
    const foreign = call.headers.authorization ? KEYS.anthropic : KEYS.openai;
    expect(JSON.stringify(at().calls)).not.toContain(foreign);

    const logs = await db.select().from(usageLogs).where(eq(usageLogs.taskId, taskId));
    expect(logs.length).toBeGreaterThanOrEqual(2);
    for (const log of logs) {
      expect(log).toMatchObject({
        isByok: true,
        billedStatus: "exempt",
        costTotal: 0,
        creditsDeducted: 0,
        model,
      });
    }
    const { token } = client.account;
    const { body } = await service.call<api.ListModelKeysAnswer>("GET", "/api/secrets/api-keys", { token });
    const used = body.api_keys.filter(({ last_used_at }) => last_used_at !== null);
    expect(used.map(({ provider }) => provider)).toEqual([model.split("/")[0]]);
  });

  it("goes to a provider of one's own, in its API, with its headers", async () => {
    const client = await newPerson();
    await addProvider(client, { api_type: "anthropic", default_headers: { "X-Tenant": "blue" } });
    await storeKey(client, { provider: "own", api_key: "own-key-0123456789" });
    const { status } = await run(client, "custom/own/some/model");
    expect(status).toMatchObject({ status: "completed", response: "Hello." });
    expect(own.calls[0]).toMatchObject({
      path: "/v1/messages",
      model: "some/model",
      headers: { "x-api-key": "own-key-0123456789", "x-tenant": "blue" },
    });
  });

  it("goes as a token of OAuth where it is one, under the service's name", async () => {
    const client = await newPerson();
    await storeKey(client, { provider: "anthropic", api_key: KEYS.anthropic, auth_type: "oauth_token" });
    const { status } = await run(client, "anthropic/claude-sonnet-4-5");
    expect(status).toMatchObject({ status: "completed" });
    expect(anthropic.calls[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEYS.anthropic}`,
      "user-agent": "agent-workspace-service",
    });
    expect(anthropic.calls[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it("takes the newest of several keys, none that has expired, and goes to its address where it has one, streamed", async () => {
    const client = await newPerson();
    const keys: [string, object][] = [
      ["sk-first-0123456789", {}],
      [KEYS.openai, { base_url: `${own.url}/proxy` }],
      ["sk-expired-0123456789", { expires_at: "2020-01-01T00:00:00Z" }],
    ];
    for (const [api_key, more] of keys) {
      await storeKey(client, { provider: "openai", api_key, key_name: api_key, ...more });
    }
    const { status, events } = await run(client, "openai/gpt-5");
    expect(status).toMatchObject({ status: "completed" });
    expect(own.calls[0]).toMatchObject({
      path: "/proxy/chat/completions",
      headers: { authorization: `Bearer ${KEYS.openai}` },
    });
    expect(openai.calls).toEqual([]);
    const text = events.filter(({ type }) => type === "text_delta").map(({ body }) => body["content"]);
    expect(text.join("")).toBe("Hello.");
  });

  it("goes where a model that was added says, under its whole name", async () => {
    const client = await newPerson();
    await storeKey(client, { provider: "openai", api_key: KEYS.openai });
    const json = { model_id: "vendor/model-1", model_name: "Model 1", provider: "openai" };
    const path = "/api/marketplace/models/custom";
    expect(await service.call("POST", path, { token: client.account.token, json })).toMatchObject({
      status: 200,
      body: { model: { id: "openai/vendor/model-1" } },
    });
    expect((await run(client, "vendor/model-1")).status).toMatchObject({ status: "completed" });
    expect(openai.calls[0]).toMatchObject({ model: "vendor/model-1" });
  });
});

it("names the platform's model one way in the usage, however it was asked for", async () => {
  const client = await newPerson();
  const models = new Set();
  for (const model of ["demo", "builtin/demo"]) {
    const { taskId } = await run(client, model);
    const logs = await db.select().from(usageLogs).where(eq(usageLogs.taskId, taskId));
    for (const log of logs) models.add(log.model);
  }
  expect([...models]).toEqual(["builtin/demo"]);
});

it("a call is refused, with a sentence and without a call, for an address inside a private network, however it got there, and for a stored key that cannot be read any more", async () => {
  const client = await newPerson();
  const change = async (fields: Partial<typeof userApiKeys.$inferInsert>, provider: keyof typeof KEYS) => {
    const id = await storeKey(client, { provider, api_key: KEYS[provider] });
    await db.update(userApiKeys).set(fields).where(eq(userApiKeys.id, id));
  };
  await change({ baseUrl: `${hidden.url}/v1` }, "openai");
  await change({ encryptedValue: "gAAAAAB" }, "anthropic");
  const inside = await run(client, "openai/gpt-5");
  expect(inside.status.error).toMatch(/cannot be called: .*private/u);
  expect(hidden.calls).toEqual([]);
  const unread = await run(client, "anthropic/claude-sonnet-4-5");
  expect(unread.status.error).toMatch(/Anthropic can no longer be decrypted/u);
});

describe("a task that is under way", () => {
  it("ends before the next call when the key has expired", async () => {
    const client = await newPerson();
    const keyId = await storeKey(client, { provider: "openai", api_key: KEYS.openai });
    // While the first call is on its way; the answer to it asks for a tool, and so for a second call.
    openai.before = async () => {
      openai.before = undefined;
      await service.call("PUT", `/api/secrets/api-keys/${keyId}`, {
        token: client.account.token,
        json: { expires_at: "2020-01-01T00:00:00Z" },
      });
    };
    const { status } = await run(client, "openai/gpt-5", "two turns");
    expect(status).toMatchObject({ status: "failed", completion_reason: "model_error", iterations: 1 });
    expect(status.error).toMatch(/OpenAI has expired/u);
    expect(openai.calls).toHaveLength(1);
  });

  it("says what the provider has against the key, and shows it nowhere", async () => {
    const client = await newPerson();
    await storeKey(client, { provider: "openai", api_key: KEYS.openai });
    openai.before = () => ({ status: 403 });
    const { status, events } = await run(client, "openai/gpt-5");
    expect(status.error).toMatch(/answered 403: Incorrect API key: /u);
    expect(JSON.stringify([status, events])).not.toMatch(/0123456789/u);
    expect(openai.calls).toHaveLength(1);
  });
});
