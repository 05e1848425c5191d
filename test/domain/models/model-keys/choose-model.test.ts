import { describe, expect, it } from "vitest";
import { userApiKeys, userModels, userProviders } from "#src/db/schema/index.ts";
import {
  type ChooseModelDeps,
  chooseModelFor,
  isPlatformModel,
  listCustomProviders,
  listModels,
  ownKeyValues,
  parseModelId,
  sealedHeaders,
  sealedKeys,
} from "#src/domain/models/model-keys/index.ts";
import type { OwnAccount } from "#src/models/choose.ts";
import { modelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { newId } from "#src/lib/ids.ts";
import { answeringModel } from "#test/support/answering-model.ts";
import { newColleague, newTeam } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { setTier } from "#test/support/tiers.ts";

const database = await fileDatabase();
const { db } = database;
const modelKeySecrets = createSecrets("a secret key of thirty-two letters");
const settings = modelSettings({
  DEFAULT_MODEL: "gpt-5",
  PLATFORM_MODELS: "house/model",
  BYOK_ENABLED_TIERS: "pro,ultra",
  PUBLIC_URL: "https://workspace.test",
});
const { model } = answeringModel(() => "Hello");

function depsOn(used: Db) {
  const accounts: OwnAccount[] = [];
  const deps: ChooseModelDeps = {
    db: used,
    modelKeySecrets,
    modelSettings: settings,
    log: { warn: () => {} },
    chooseModel: () => model,
    chooseOwnModel: (account) => {
      accounts.push(account);
      return model;
    },
  };
  return { deps, accounts };
}

async function giveKey(userId: string, provider: string, value: string, more: object = {}): Promise<void> {
  await db.insert(userApiKeys).values({
    id: crypto.randomUUID(),
    userId,
    provider,
    keyName: crypto.randomUUID(),
    encryptedValue: await modelKeySecrets.encrypt(value),
    ...more,
  });
}

/** A database that cannot be asked: it has no methods. */
const NO_DB: Db = Object.create(null);

/** A person whose tier allows own keys, with this one. */
async function newKeyOwner(provider: string, value: string) {
  const { id: userId, personalTeamId: teamId } = await newColleague(db);
  await setTier(db, userId, "pro");
  await giveKey(userId, provider, value);
  return { userId, teamId };
}

const who = await newKeyOwner("openrouter", "sk-or-0123456789");

describe("choosing a model", () => {
  it.each([null, "gpt-5", "builtin/gpt-5"])("makes no query for a model of the platform: %s", async (id) => {
    const { deps } = depsOn(NO_DB);
    expect(await chooseModelFor(deps, who, id)).toEqual({ id: id ?? "gpt-5", model, isByok: false });
  });

  it.each([
    ["builtin/gpt-5", ["gpt-5", "builtin/gpt-5", null]],
    ["gpt-5", ["gpt-5", "builtin/gpt-5", null]],
    ["builtin/house/model", ["house/model", "builtin/house/model"]],
  ])("refuses a platform model that the team has switched off, under either name: %s", async (off, ids) => {
    const { deps } = depsOn(NO_DB);
    for (const id of ids) {
      const choosing = chooseModelFor(deps, { ...who, disabledModels: [off] }, id);
      await expect(choosing).rejects.toThrow(/switched off/u);
    }
  });

  it.each(["authorization: bearer  sk-tg-0123456789", "sk-tg-0123456789"])(
    "sends a key without the words of a header that came along: %s",
    async (value) => {
      const { deps, accounts } = depsOn(db);
      await chooseModelFor(deps, await newKeyOwner("together", value), "together/m");
      expect(accounts).toMatchObject([{ apiKey: "sk-tg-0123456789" }]);
    },
  );

  it("takes a provider's model of the same name for another one", async () => {
    const { deps } = depsOn(NO_DB);
    const disabledModels = ["openai/gpt-5", "custom/own/gpt-5"];
    expect(await chooseModelFor(deps, { ...who, disabledModels }, "gpt-5")).toMatchObject({ id: "gpt-5" });
  });

  it("refuses what the platform does not have", async () => {
    const { deps } = depsOn(NO_DB);
    for (const id of ["gpt-5-pro", "builtin/vendor/model"]) {
      await expect(chooseModelFor(deps, who, id)).rejects.toThrow(/There is no model/u);
    }
  });

  it("tells an aggregator whose call it is", async () => {
    const { deps, accounts } = depsOn(db);
    const chosen = await chooseModelFor(deps, who, "openrouter/anthropic/x");
    expect(chosen).toEqual({ id: "openrouter/anthropic/x", model, isByok: true });
    expect(accounts).toEqual([
      {
        provider: "openrouter",
        label: "OpenRouter",
        apiType: "openai",
        baseUrl: "https://openrouter.ai/api/v1",
        isForeignAddress: false,
        apiKey: "sk-or-0123456789",
        isBearer: false,
        headers: { "HTTP-Referer": "https://workspace.test", "X-Title": "Agent Workspace Service" },
        model: "anthropic/x",
      },
    ]);
  });

  it("is allowed by the tier of the project's team, too, and by no other's", async () => {
    const [poor, rich] = [await newColleague(db), await newTeam(db)];
    await giveKey(poor.id, "groq", "gsk-0123456789");
    await setTier(db, rich.owner.id, "ultra");
    const { deps } = depsOn(db);
    const inTeam = (teamId: string) => chooseModelFor(deps, { userId: poor.id, teamId }, "groq/x");
    await expect(inTeam(poor.personalTeamId)).rejects.toThrow(/higher plan/u);
    await expect(inTeam(rich.id)).rejects.toThrow(/higher plan/u);
    expect(await inTeam(rich.owner.personalTeamId)).toMatchObject({ isByok: true });
  });

  it("does not use another person's key", async () => {
    const other = await newColleague(db);
    await setTier(db, other.id, "pro");
    const { deps } = depsOn(db);
    const strange = { userId: other.id, teamId: who.teamId };
    await expect(chooseModelFor(deps, strange, "openrouter/x")).rejects.toMatchObject({
      name: "ModelError",
      retryable: false,
      message: expect.stringMatching(/no API key.*OpenRouter/u),
    });
  });

  it("says what is wrong before the tier is spoken of", async () => {
    const { deps } = depsOn(db);
    await expect(chooseModelFor(deps, who, "custom/nothing/m")).rejects.toThrow(/no provider 'nothing'/u);
    await expect(chooseModelFor(deps, who, "nowhere/m")).rejects.toThrow(/openrouter, nano-gpt/u);
    await expect(chooseModelFor(deps, who, "openai/")).rejects.toThrow(/is not a valid model id/u);
  });
});

describe("a person's values to be hidden", () => {
  it("are keys, deleted ones too, and headers that may be secret", async () => {
    const person = await newColleague(db);
    await giveKey(person.id, "z-ai", "zai-0123456789");
    await giveKey(person.id, "own", "own-0123456789", { isActive: false });
    await giveKey(person.id, "groq", "unreadable", { encryptedValue: "gAAAAAB" });
    const headers = { "X-Gateway-Auth": "gateway-secret", "User-Agent": "something long", "X-Short": "a" };
    await db.insert(userProviders).values({
      id: crypto.randomUUID(),
      userId: person.id,
      name: "Own",
      slug: "own",
      baseUrl: "https://own.example.com",
      apiType: "openai",
      defaultHeadersEncrypted: await modelKeySecrets.encrypt(JSON.stringify(headers)),
    });
    const [keys, kept] = await db.batch([sealedKeys(db, person.id), sealedHeaders(db, person.id)]);
    const values = await ownKeyValues({ modelKeySecrets }, keys, kept);
    expect(values.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: "OWN_API_KEY", value: "own-0123456789" },
      { name: "OWN_X_GATEWAY_AUTH", value: "gateway-secret" },
      { name: "Z_AI_API_KEY", value: "zai-0123456789" },
    ]);
  });
});

const named = modelSettings({
  DEFAULT_MODEL: "builtin/gpt-5",
  PLATFORM_MODELS: "claude-sonnet-4-5, vendor/model,,gpt-5",
  BYOK_ENABLED_TIERS: "pro, ultra",
  PUBLIC_URL: "https://workspace.test",
});

describe("a model id", () => {
  it.each([
    ["gpt-5", { kind: "platform", name: "gpt-5" }],
    ["builtin/gpt-5", { kind: "platform", name: "gpt-5" }],
    ["builtin/openai/gpt-5", { kind: "platform", name: "openai/gpt-5" }],
    ["vendor/model", { kind: "platform", name: "vendor/model" }],
    ["openai/gpt-5", { kind: "provider", provider: "openai", name: "gpt-5" }],
    ["openrouter/anthropic/x", { kind: "provider", provider: "openrouter", name: "anthropic/x" }],
    ["custom/own/a/b", { kind: "custom", slug: "own", name: "a/b" }],
    ["nowhere/x", { kind: "added", name: "nowhere/x" }],
    ["OpenAI/gpt-5", { kind: "added", name: "OpenAI/gpt-5" }],
    ["custom/own", { kind: "malformed" }],
    ["custom//m", { kind: "malformed" }],
    ["openai/", { kind: "malformed" }],
    ["/gpt-5", { kind: "malformed" }],
  ])("leads where its first segment says: %s", (id, route) => {
    expect(parseModelId(id, named)).toEqual(route);
  });
});

describe("the platform's models", () => {
  it("are the default one, then those that are named", () => {
    expect(named.platformModels).toEqual(["gpt-5", "claude-sonnet-4-5", "vendor/model"]);
    expect(named.byokTiers).toEqual(["pro", "ultra"]);
  });

  it("are no others", () => {
    const names = ["gpt-5", "demo", "gpt-5-pro", ""];
    expect(names.filter((name) => isPlatformModel(named, name))).toEqual(["gpt-5", "demo"]);
  });
});

it("providers and models that were added in the same moment are listed in one order", async () => {
  const { id: userId, caller } = await newColleague(db);
  const createdAt = new Date();
  const ids = Array.from({ length: 3 }, () => newId());
  for (const [nth, id] of [...ids.entries()].toReversed()) {
    // Neither the order of insertion nor that of an index is the one in which they are listed.
    const name = `own-${9 - nth}`;
    const provider = { name, slug: name, baseUrl: "https://models.test", apiType: "openai" as const };
    await db.insert(userProviders).values({ id, userId, createdAt, ...provider });
    const added = { modelId: name, modelName: name, provider: "openai" };
    await db.insert(userModels).values({ id, userId, createdAt, ...added });
  }
  const providers = await listCustomProviders({ db, modelKeySecrets }, userId);
  expect(providers.map(({ id }) => id)).toEqual(ids);
  const { models } = await listModels({ db, modelSettings: settings }, caller);
  expect(models.flatMap(({ customId }) => customId ?? [])).toEqual(ids);
});
