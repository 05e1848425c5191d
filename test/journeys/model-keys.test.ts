import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog, userApiKeys } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { KEYS, PROVIDERS, VALUE, ownKeysOf } from "#test/support/own-keys.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { setTier } from "#test/support/tiers.ts";

const service = sharedService();
const { newPro, store, list, show } = ownKeysOf(service);
const db = databaseOf(service);

describe("own keys", () => {
  it("are stored trimmed, listed masked and newest first, and filtered by provider", async () => {
    const { token } = await newPro();
    const first = await store(token, { api_key: `  ${VALUE}\n` });
    expect(first).toMatchObject({
      status: 200,
      body: { success: true, provider: "openai", key_id: expect.any(String), message: expect.any(String) },
    });
    await store(token, {
      provider: "groq",
      key_name: "work",
      auth_type: "bearer_token",
      api_key: "short-key",
    });
    const keys = await list(token);
    // Eight characters of the short one would be nearly all of it.
    expect(keys).toMatchObject([
      { provider: "groq", auth_type: "bearer_token", key_name: "work", key_preview: "shor..." },
      { provider: "openai", key_name: "OpenAI", key_preview: "sk-proj-..." },
    ]);
    expect(JSON.stringify(keys)).not.toContain("0123456789");
    expect((await list(token, "?provider=groq")).map(({ provider }) => provider)).toEqual(["groq"]);
    const [row] = await db.select().from(userApiKeys).where(eq(userApiKeys.id, first.body.key_id));
    expect(row?.encryptedValue).not.toContain(VALUE);
  });

  it("need a tier", async () => {
    const account = await service.signUp();
    expect(await store(account.token, {})).toMatchObject({
      status: 403,
      body: { detail: expect.any(String) },
    });
    await setTier(db, account.id, "ultra");
    expect(await store(account.token, {})).toMatchObject({ status: 200 });
  });

  it("are one of a name; a deleted one comes back with the new value", async () => {
    const { token } = await newPro();
    const { body } = await store(token, { key_name: "work" });
    expect(await store(token, { key_name: "work" })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("work") },
    });
    expect(await store(token, { key_name: "home" })).toMatchObject({ status: 200 });
    expect(await store(token, { provider: "groq", key_name: "work" })).toMatchObject({ status: 200 });

    const deleted = await service.call("DELETE", `${KEYS}/${body.key_id}`, { token });
    expect(deleted).toMatchObject({ status: 200, body: { success: true } });
    expect((await list(token)).map(({ id }) => id)).not.toContain(body.key_id);
    expect(await show(token, body.key_id)).toMatchObject({ status: 200, body: { is_active: false } });
    const again = await service.call("DELETE", `${KEYS}/${body.key_id}`, { token });
    expect(again).toMatchObject({ status: 404 });

    const back = await store(token, { key_name: "work", api_key: "sk-another-0123456789" });
    expect(back).toMatchObject({ status: 200, body: { key_id: body.key_id } });
    expect(await show(token, body.key_id)).toMatchObject({
      body: { is_active: true, key_preview: "sk-anoth..." },
    });
  });

  it("stored twice at once are stored once", async () => {
    const { token } = await newPro();
    const answers = await Promise.all([store(token, {}), store(token, {}), store(token, {})]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "400", "400"]);
    expect(await list(token)).toHaveLength(1);
  });

  it("are revealed to their owner ten times at most, and every time is in the audit log", async () => {
    const owner = await newPro();
    const { key_id: id } = (await store(owner.token, {})).body;
    expect(await show(owner.token, id)).toMatchObject({
      status: 200,
      body: { key_value: null, key_preview: "sk-proj-...", is_active: true },
    });
    const shown = await show(owner.token, id, "?reveal=true");
    expect(shown).toMatchObject({ status: 200, body: { key_value: VALUE, key_preview: null } });
    expect(shown.headers.get("cache-control")).toBe("no-store");
    const entries = await db
      .select()
      .from(auditLog)
      .where(eq(auditLog.userId, owner.id))
      .orderBy(auditLog.createdAt, auditLog.id);
    const ofKey = entries.filter(({ resourceType }) => resourceType === "model_key");
    expect(ofKey.map(({ action }) => action)).toEqual(["model_key.created", "secret_revealed"]);
    expect(JSON.stringify(entries)).not.toContain(VALUE);
    for (let times = 1; times < 10; times += 1) {
      expect((await show(owner.token, id, "?reveal=true")).status).toBe(200);
    }
    const refused = await show(owner.token, id, "?reveal=true");
    expect(refused).toMatchObject({ status: 429 });
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/u);
    expect((await show(owner.token, id)).status).toBe(200);
  });

  it("are changed field by field; what is empty is taken away", async () => {
    const { token } = await newPro();
    const { key_id: id } = (await store(token, { base_url: "https://proxy.example.com/v1" })).body;
    const put = (json: Record<string, unknown>) => service.call("PUT", `${KEYS}/${id}`, { token, json });
    const later = "2040-01-01T00:00:00.000Z";
    const change = { api_key: "sk-new-0123456789", key_name: "new", expires_at: later };
    expect(await put(change)).toMatchObject({ status: 200, body: { key_id: id, success: true } });
    expect((await show(token, id)).body).toMatchObject({
      key_preview: "sk-new-0...",
      key_name: "new",
      expires_at: later,
      base_url: "https://proxy.example.com/v1",
    });
    await put({ base_url: "", expires_at: "", provider_metadata: { a: 1 } });
    expect((await show(token, id)).body).toMatchObject({
      base_url: null,
      expires_at: null,
      provider_metadata: { a: 1 },
      key_name: "new",
    });
  });

  it("have no address that leads into a private network or is none, and are told of the word that allows it", async () => {
    const { token } = await newPro();
    for (const [base_url, word] of [
      ["http://127.0.0.1:9/v1", "OUTBOUND_ALLOW_PRIVATE"],
      ["https://user:pass@example.com/v1", ""],
      ["https://api.example.com:99999/", "malformed"],
    ] as const) {
      const refused = { status: 400, text: expect.stringContaining(word) };
      expect([base_url, await store(token, { base_url })]).toMatchObject([base_url, refused]);
      const json = { name: "Own", slug: "own", base_url };
      expect(await service.call("POST", PROVIDERS, { token, json })).toMatchObject({ status: 400 });
    }
  });

  it("that cannot be read any more do not hide the others", async () => {
    const { token } = await newPro();
    const { key_id: id } = (await store(token, { key_name: "lost" })).body;
    await store(token, { key_name: "well" });
    await db.update(userApiKeys).set({ encryptedValue: "gAAAAAB" }).where(eq(userApiKeys.id, id));
    const keys = await list(token);
    expect(keys.map(({ key_name, key_preview }) => [key_name, key_preview])).toEqual([
      ["well", "sk-proj-..."],
      ["lost", null],
    ]);
    expect(await show(token, id, "?reveal=true")).toMatchObject({ status: 409 });
  });
});
