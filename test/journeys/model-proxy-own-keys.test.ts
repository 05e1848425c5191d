import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { teams, userApiKeys } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { MODEL_WIRES, startModelServer } from "#test/support/model-servers.ts";
import { failureOf, newProxyClient } from "#test/support/proxy-client.ts";
import { startService, type TestService } from "#test/support/service.ts";

const OWN_KEY = "sk-own-abcdefghijklmnop";
const usage = { prompt_tokens: 1000, completion_tokens: 500, input_tokens: 1000, output_tokens: 500 };

describe.each(MODEL_WIRES)("a person's own key at $name", (wire) => {
  const provider = wire.model === "gpt-5" ? "openai" : "anthropic";
  const asked = {
    model: `${provider}/${wire.model}`,
    messages: [{ role: "user" as const, content: "hello" }],
  };
  let model: Awaited<ReturnType<typeof startModelServer>>;
  let service: TestService;
  beforeAll(async () => {
    model = await startModelServer(wire);
    model.mock.onMessage("hello", { content: "Hello to you, too.", usage });
    model.mock.onMessage("refused", { error: { message: `Bad key ${OWN_KEY}` }, status: 401 });
    service = await startService({
      OPENAI_API_BASE: `${model.origin}/v1`,
      ANTHROPIC_API_BASE: `${model.origin}/v1`,
      MODEL_MAX_RETRIES: "0",
    });
  });
  afterAll(async () => {
    await service.close();
    await model.close();
  });

  /** A person in the Pro tier, without a credit. */
  async function newOwner() {
    const proxy = await newProxyClient(service, { credits: 0 });
    const inTier = (subscriptionTier: "free" | "pro") =>
      databaseOf(service).update(teams).set({ subscriptionTier }).where(eq(teams.id, proxy.teamId));
    await inTier("pro");
    const stored = await service.call("POST", "/api/secrets/api-keys", {
      token: proxy.account.token,
      json: { provider, api_key: OWN_KEY },
    });
    expect(stored.status).toBe(200);
    return { ...proxy, inTier };
  }

  it("is used by the proxy, costs no credits and is noted as exempt", async () => {
    const { client, calls, balance } = await newOwner();
    const answer = await client.chat.completions.create(asked);
    expect(answer).toMatchObject({
      model: asked.model,
      choices: [{ message: { content: "Hello to you, too." } }],
    });
    expect(model.received.at(-1)?.body).toMatchObject({ model: wire.model });
    expect(JSON.stringify(model.received.at(-1)?.headers)).toContain(OWN_KEY);
    expect(await calls()).toMatchObject([
      {
        model: asked.model,
        isByok: true,
        billedStatus: "exempt",
        costTotal: 0,
        creditsDeducted: 0,
        inputTokens: 1000,
      },
    ]);
    expect(await balance()).toBe(0);
  });

  it("that has expired is none in the list of providers", async () => {
    const { account, key } = await newOwner();
    const listed = async () => {
      const { body } = await service.call<{ providers: { provider: string; has_key: boolean }[] }>(
        "GET",
        "/api/v1/models",
        { token: key },
      );
      return body.providers.find((each) => each.provider === provider)?.has_key;
    };
    expect(await listed()).toBe(true);
    await databaseOf(service)
      .update(userApiKeys)
      .set({ expiresAt: new Date(0) })
      .where(eq(userApiKeys.userId, account.id));
    expect(await listed()).toBe(false);
  });

  it("that is refused is the caller's to mend, and is not told", async () => {
    const { client, calls } = await newOwner();
    const messages = [{ role: "user" as const, content: "refused" }];
    const error = await failureOf(client.chat.completions.create({ ...asked, messages }));
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/refused your own API key/u) });
    expect(JSON.stringify(error)).not.toContain(OWN_KEY);
    expect(await calls()).toEqual([]);
  });

  it("is not used once the tier has none", async () => {
    const { client, inTier } = await newOwner();
    await inTier("free");
    const before = model.received.length;
    expect(await failureOf(client.chat.completions.create(asked))).toMatchObject({
      status: 403,
      type: "permission_error",
    });
    expect(model.received.length).toBe(before);
  });
});
