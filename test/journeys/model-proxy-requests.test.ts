import type { api } from "@agent-workspace/client";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { userApiKeys } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { ownKeysOf } from "#test/support/own-keys.ts";
import { failureOf, newProxyClient } from "#test/support/proxy-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { setTier } from "#test/support/tiers.ts";

const service = sharedService();
const NOTED = "builtin/demo";
const hello = { model: "demo", messages: [{ role: "user" as const, content: "hello" }] };
const newClient = (wish?: { scopes: string[] }) => newProxyClient(service, wish);

describe("a caller of the proxy", () => {
  it("gets one of the models, and is told in its own words of what is not there", async () => {
    const { client, key } = await newClient();
    for (const id of ["demo", NOTED]) {
      expect(await client.models.retrieve(id)).toMatchObject({ id: NOTED, object: "model" });
    }
    const message = expect.stringMatching(/no such model/u);
    expect(await failureOf(client.models.retrieve("unheard-of"))).toMatchObject({ status: 404, message });
    expect(await failureOf(client.embeddings.create({ model: "m", input: "a" }))).toMatchObject({
      status: 404,
      type: "invalid_request_error",
      message: "404 Not Found",
    });
    expect(await service.call("GET", "/api/v1/chat/completions", { token: key })).toMatchObject({
      status: 405,
      body: { detail: "Method Not Allowed", error: { message: "Method Not Allowed" } },
    });
  });

  it("gets an error for a request that cannot be served", async () => {
    const { client, key } = await newClient();
    const { chat } = client;
    for (const [model, message] of [
      ["unheard-of", /unheard-of/u],
      ["groq/llama", /no API key/u],
    ] as const) {
      expect(await failureOf(chat.completions.create({ ...hello, model }))).toMatchObject({
        status: 400,
        message: expect.stringMatching(message),
      });
    }
    const limited = await newClient({ scopes: ["usage.read"] });
    expect(await failureOf(limited.client.chat.completions.create(hello))).toMatchObject({
      status: 403,
      type: "permission_error",
    });
    const json = { model: "demo" };
    const raw = await service.call("POST", "/api/v1/chat/completions", { token: key, json });
    const message = expect.stringContaining("messages");
    expect(raw).toMatchObject({
      status: 422,
      body: { detail: message, error: { message, type: "invalid_request_error", code: "invalid_body" } },
    });
  });

  it("is told of what is not served, unless it asks for nothing", async () => {
    const { client } = await newClient();
    const asked = [
      { functions: [{ name: "weather", parameters: { type: "object" } }] },
      { logprobs: true },
      { modalities: ["text" as const, "audio" as const] },
    ];
    for (const field of asked) {
      const error = await failureOf(client.chat.completions.create({ ...hello, ...field }));
      const sentence = new RegExp(`${Object.keys(field)[0]}: is not supported here`, "u");
      expect(error).toMatchObject({ status: 400, message: expect.stringMatching(sentence) });
    }
    const nothing = { functions: [], logprobs: false, modalities: ["text" as const], logit_bias: {} };
    const answer = await client.chat.completions.create({ ...hello, ...nothing, frequency_penalty: 0 });
    expect(answer.choices[0]?.message.content).toContain("Hello!");
  });

  it("gets a stream where it does not say, unless it accepts JSON only", async () => {
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

  it("finds in the list of providers which keys the person has, without those that have expired", async () => {
    const { account, key } = await newClient();
    await setTier(databaseOf(service), account.id, "pro");
    await ownKeysOf(service).store(account.token, {});
    const listed = async () => {
      const { body } = await service.call<api.ListProxyModelsAnswer>("GET", "/api/v1/models", { token: key });
      return body.providers.find((each) => each.provider === "openai")?.has_key;
    };
    expect(await listed()).toBe(true);
    await databaseOf(service)
      .update(userApiKeys)
      .set({ expiresAt: new Date(0) })
      .where(eq(userApiKeys.userId, account.id));
    expect(await listed()).toBe(false);
  });
});
