import type { api } from "@agent-workspace/client";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { PROVIDERS, ownKeysOf } from "#test/support/own-keys.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const { newPro, store, list } = ownKeysOf(service);
const db = databaseOf(service);

const models = async (token: string) =>
  (await service.call<api.ListModelsAnswer>("GET", "/api/marketplace/models", { token })).body;

describe("providers", () => {
  it("are listed with the integrations after them", async () => {
    const { token } = await service.signUp();
    const { body } = await service.call<{ providers: Record<string, unknown>[] }>(
      "GET",
      "/api/secrets/providers",
      { token },
    );
    const anthropic = { id: "anthropic", requires_key: true, base_url: "https://api.anthropic.com/v1" };
    expect(body.providers).toContainEqual(expect.objectContaining(anthropic));
    const ids = body.providers.map(({ id, auth_type }) => `${String(id)} ${String(auth_type)}`);
    expect(ids).toEqual(
      expect.arrayContaining(["google api_key", "google oauth", "github personal_access_token"]),
    );
    expect(body.providers.at(-1)).not.toHaveProperty("base_url");
    expect(body.providers.filter(({ id }) => id === "google").map(({ name }) => name)).toEqual([
      "Google Gemini",
      "Google sign-in",
    ]);
  });

  it("of one's own are added, changed, deleted and come back", async () => {
    const { token } = await newPro();
    const add = (fields: Record<string, unknown> = {}) =>
      service.call<{ provider_id: string }>("POST", PROVIDERS, {
        token,
        json: { name: "Local", slug: "My-Models", base_url: "https://models.example.com/v1", ...fields },
      });
    const added = await add({ available_models: ["a", "b/c"], default_headers: { "X-Tenant": "blue" } });
    expect(added).toMatchObject({ status: 200, body: { slug: "my-models", success: true } });
    const { provider_id: id } = added.body;
    const own = () => service.call<{ providers: unknown[] }>("GET", PROVIDERS, { token });
    const local = { id, name: "Local", slug: "my-models", api_type: "openai" };
    expect((await own()).body.providers).toMatchObject([
      { ...local, default_headers: { "X-Tenant": "blue" }, available_models: ["a", "b/c"] },
    ]);
    const put = (json: Record<string, unknown>) => service.call("PUT", `${PROVIDERS}/${id}`, { token, json });
    expect(await put({ name: "New", slug: "other", api_type: "anthropic" })).toMatchObject({ status: 200 });
    expect((await own()).body.providers).toMatchObject([
      { name: "New", slug: "my-models", api_type: "anthropic", default_headers: { "X-Tenant": "blue" } },
    ]);
    const remove = () => service.call("DELETE", `${PROVIDERS}/${id}`, { token });
    expect(await remove()).toMatchObject({ status: 200, body: { success: true } });
    expect(await add()).toMatchObject({ status: 200, body: { provider_id: id } });
    expect((await own()).body.providers).toMatchObject([{ name: "Local", default_headers: {} }]);
  });

  it("are refused with a reserved or malformed slug, an unknown type, and headers that are none", async () => {
    const { token } = await newPro();
    for (const [fields, status] of [
      [{ slug: "openai" }, 400],
      [{ slug: "a/b" }, 400],
      [{ api_type: "gopher" }, 400],
      [{ default_headers: { Host: "example.com" } }, 422],
      [{ default_headers: { "X-A": "a\r\nX-B: b" } }, 422],
    ] as const) {
      const json = { name: "Own", slug: "own", base_url: "https://models.example.com/v1", ...fields };
      const answer = await service.call("POST", PROVIDERS, { token, json });
      expect([fields, answer.status]).toEqual([fields, status]);
    }
  });

  it("take their keys and models with them, and say so", async () => {
    const { id: userId, token } = await newPro();
    const json = { name: "Own", slug: "own", base_url: "https://models.example.com/v1" };
    const add = () => service.call<{ provider_id: string }>("POST", PROVIDERS, { token, json });
    const id = (await add()).body.provider_id;
    expect(await service.call("PUT", `${PROVIDERS}/${id}`, { token, json: {} })).toMatchObject({
      status: 200,
      body: { slug: "own" },
    });
    const change = { default_headers: { "X-A": "b" } };
    await service.call("PUT", `${PROVIDERS}/${id}`, { token, json: change });
    await store(token, { provider: "own", key_name: "work" });
    await store(token, { provider: "groq" });
    const model = { model_id: "m", model_name: "M", provider: "own" };
    await service.call("POST", "/api/marketplace/models/custom", { token, json: model });
    expect(await service.call("DELETE", `${PROVIDERS}/${id}`, { token })).toMatchObject({ status: 200 });
    expect(await add()).toMatchObject({ status: 200, body: { provider_id: id } });
    expect((await list(token)).map(({ provider }) => provider)).toEqual(["groq"]);
    expect((await models(token)).custom_models).toEqual([]);
    const entries = await db
      .select()
      .from(auditLog)
      .where(eq(auditLog.userId, userId))
      .orderBy(auditLog.createdAt, auditLog.id);
    const told = entries.filter(({ resourceType }) => resourceType === "model_provider");
    expect(told.map(({ action, details }) => [action, details])).toEqual([
      ["model_provider.created", { slug: "own" }],
      ["model_provider.updated", { changed: ["default_headers"] }],
      ["model_provider.deleted", { slug: "own", name: "Own", deleted_keys: ["work"], deleted_models: ["m"] }],
      ["model_provider.created", { slug: "own" }],
    ]);
  });
});
