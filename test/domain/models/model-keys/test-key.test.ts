import { describe, expect, it } from "vitest";
import { userApiKeys, userProviders } from "#src/db/schema/index.ts";
import { testKey, type TestKeyDeps } from "#src/domain/models/model-keys/index.ts";
import type { AccountToCheck } from "#src/models/check-account.ts";
import { modelSettings } from "#src/models/settings.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { setTier } from "#test/support/tiers.ts";

const { db } = await fileDatabase();
const modelKeySecrets = createSecrets("a secret key of thirty-two letters");
const KEY = "sk-0123456789abcdef";

/** Dependencies whose provider takes every key, until `tests` of them have been made. */
function depsFor({ tests = 100 } = {}) {
  const asked: AccountToCheck[] = [];
  const seconds = 300;
  let left = tests;
  const deps: TestKeyDeps = {
    db,
    modelKeySecrets,
    modelSettings: modelSettings({
      DEFAULT_MODEL: "demo",
      BYOK_ENABLED_TIERS: "pro",
      PUBLIC_URL: "https://workspace.test",
    }),
    log: { warn: () => {} },
    attempts: {
      take: async () => {
        left -= 1;
        const window = { limit: tests, remaining: Math.max(0, left), resetSeconds: seconds };
        return { ...window, retryAfterSeconds: seconds, allowed: left >= 0 };
      },
    },
    checkOwnAccount: async (account) => {
      asked.push(account);
      return { outcome: "works", sentence: "This key works.", models: ["large"] };
    },
  };
  return { deps, asked };
}

/** A person of a tier, with a key. */
async function newKey(values: Partial<typeof userApiKeys.$inferInsert>, tier: "free" | "pro" = "pro") {
  const { id: userId } = await newColleague(db);
  await setTier(db, userId, tier);
  const id = crypto.randomUUID();
  const encryptedValue = await modelKeySecrets.encrypt(KEY);
  await db
    .insert(userApiKeys)
    .values({ id, userId, provider: "openai", keyName: "work", encryptedValue, ...values });
  return { userId, id };
}

describe("a test of a stored key", () => {
  it("asks its provider, and names the models as messages do", async () => {
    const { deps, asked } = depsFor();
    const outcome = await testKey(deps, await newKey({ provider: "openrouter" }));
    expect(outcome).toEqual({
      outcome: "works",
      sentence: "This key works.",
      models: ["openrouter/large"],
    });
    const baseUrl = "https://openrouter.ai/api/v1";
    const account = { apiKey: KEY, baseUrl, isForeignAddress: false, keyPath: "/key", isListOpen: true };
    expect(asked).toMatchObject([account]);
  });

  it("asks the key's own address, and a custom provider with its headers", async () => {
    const { deps, asked } = depsFor();
    await testKey(deps, await newKey({ provider: "openrouter", baseUrl: "https://proxy.test/v1" }));
    expect(asked[0]).toMatchObject({ baseUrl: "https://proxy.test/v1", isForeignAddress: true });
    expect(asked[0]).not.toHaveProperty("keyPath");

    const own = await newKey({ provider: "mine" });
    await db.insert(userProviders).values({
      id: crypto.randomUUID(),
      userId: own.userId,
      slug: "mine",
      name: "Mine",
      baseUrl: "https://mine.test/v1",
      apiType: "anthropic",
      availableModels: [],
      defaultHeadersEncrypted: await modelKeySecrets.encrypt('{"x-tenant":"blue"}'),
    });
    expect(await testKey(deps, own)).toMatchObject({ models: ["custom/mine/large"] });
    const account = { label: "Mine", apiType: "anthropic", headers: { "x-tenant": "blue" } };
    expect(asked[1]).toMatchObject({ ...account, isForeignAddress: true });
  });

  it.each([
    ["that has expired", { expiresAt: new Date(0) }, "refused", /expired/u],
    ["that cannot be decrypted", { encryptedValue: "gAAAAAB" }, "unknown", /no longer be decrypted/u],
    ["of an integration", { provider: "github" }, "unknown", /no model provider/u],
  ] as const)("needs no call for a key %s", async (_, values, outcome, sentence) => {
    const { deps, asked } = depsFor();
    const told = await testKey(deps, await newKey(values));
    expect(told).toMatchObject({ outcome, sentence: expect.stringMatching(sentence), models: [] });
    expect(asked).toEqual([]);
  });

  it("is for its owner, with a plan that allows it, and some times", async () => {
    const { deps, asked } = depsFor({ tests: 1 });
    const [key, other] = [await newKey({}), await newKey({})];
    const absent = { code: "not_found" };
    await expect(testKey(deps, { userId: other.userId, id: key.id })).rejects.toMatchObject(absent);
    await expect(testKey(deps, await newKey({ isActive: false }))).rejects.toMatchObject(absent);
    await expect(testKey(deps, { ...key, id: "none" })).rejects.toMatchObject(absent);
    await expect(testKey(deps, await newKey({}, "free"))).rejects.toMatchObject({ code: "forbidden" });
    expect(await testKey(deps, key)).toMatchObject({ outcome: "works" });
    await expect(testKey(deps, key)).rejects.toMatchObject({ code: "rate_limited", retryAfterSeconds: 300 });
    expect(asked).toHaveLength(1);
  });
});
