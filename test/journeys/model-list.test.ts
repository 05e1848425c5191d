import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { databaseOf } from "#test/support/database.ts";
import { PROVIDERS, ownKeysOf } from "#test/support/own-keys.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { setTier } from "#test/support/tiers.ts";

const service = sharedService();
const { newPro, store } = ownKeysOf(service);
const db = databaseOf(service);

const models = async (token: string) =>
  (await service.call<api.ListModelsAnswer>("GET", "/api/marketplace/models", { token })).body;

describe("the list of models", () => {
  it("begins with the platform's, and grows with keys, providers and what one adds", async () => {
    const { token } = await newPro();
    expect(await models(token)).toMatchObject({
      models: [{ id: "builtin/demo", source: "system", provider: "internal", available: true }],
      default: "builtin/demo",
      count: 1,
      user_providers: [],
      custom_models: [],
    });

    await store(token, { provider: "anthropic" });
    const provider = { name: "Own", slug: "own", base_url: "https://m.example.com", available_models: ["m"] };
    await service.call("POST", PROVIDERS, { token, json: provider });
    const json = { model_id: "vendor/x", model_name: "X", pricing_input: 0.5, pricing_output: 2 };
    const path = "/api/marketplace/models/custom";
    const added = await service.call<{ model: { custom_id: string } }>("POST", path, { token, json });
    const pricing = { input: 0.5, output: 2 };
    expect(added).toMatchObject({
      status: 200,
      body: { model: { id: "openrouter/vendor/x", source: "custom", provider: "openrouter", pricing } },
    });

    const after = await models(token);
    expect(after.models).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: "anthropic/claude-sonnet-4-5",
          source: "provider",
          pricing: { input: 3, output: 15 },
        }),
        expect.objectContaining({ id: "custom/own/m", source: "custom_provider", available: false }),
        expect.objectContaining({ id: "openrouter/vendor/x", source: "custom", available: false }),
      ]),
    );
    expect(after.custom_models.map(({ id }) => id)).toEqual(["custom/own/m", "openrouter/vendor/x"]);
    expect(after.user_providers).toEqual(["anthropic", "own"]);
    expect(after.external_providers).toContainEqual(
      expect.objectContaining({ provider: "anthropic", has_key: true, setup_required: false }),
    );

    const remove = () => service.call("DELETE", `${path}/${added.body.model.custom_id}`, { token });
    expect(await remove()).toMatchObject({ status: 200, body: { success: true } });
    expect((await models(token)).custom_models).toHaveLength(1);
  });

  it("names each model once, and the providers of one's own with their prefix", async () => {
    const account = await newPro();
    const { token } = account;
    const own = { name: "Own", slug: "own", base_url: "https://m.example.com" };
    const available_models = ["m", "m", "n"];
    await service.call("POST", PROVIDERS, { token, json: { ...own, available_models } });
    await store(token, { provider: "own" });
    const add = (json: object) =>
      service.call("POST", "/api/marketplace/models/custom", {
        token,
        json: { model_id: "m", model_name: "M", ...json },
      });
    expect(await add({ provider: "custom/own" })).toMatchObject({
      status: 200,
      body: { model: { id: "custom/own/m", provider: "custom/own" } },
    });
    expect(await add({ provider: "own" })).toMatchObject({ status: 400 });
    expect(await add({ provider: "groq", pricing_input: 1 })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/give both, or neither/u) },
    });
    expect((await models(token)).custom_models).toMatchObject([
      { id: "custom/own/m", source: "custom", provider: "custom/own", available: true },
      { id: "custom/own/n", source: "custom_provider", available: true },
    ]);
    await setTier(db, account.id, "free");
    const later = (await models(token)).models;
    expect(later.filter(({ available }) => available).map(({ id }) => id)).toEqual(["builtin/demo"]);
  });

  it("tells what the team has switched off", async () => {
    const { token } = await service.signUp();
    const path = "/api/secrets/model-preferences";
    const set = (model_id: string, enabled: boolean) =>
      service.call("PUT", path, { token, json: { model_id, enabled } });
    expect((await service.call("GET", path, { token })).body).toEqual({ disabled_models: [] });
    expect((await set("builtin/demo", false)).body).toEqual({ disabled_models: ["builtin/demo"] });
    expect((await models(token)).models).toEqual([expect.objectContaining({ disabled: true })]);
    // Under its other name it is the same model.
    expect((await set("demo", true)).body).toEqual({ disabled_models: [] });
  });
});
