import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { externalApiKeys } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

interface Key {
  id: string;
  key: string | null;
  expires_at: string | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const FAMILIES = ["/api/external-api-keys", "/api/external/keys"] as const;

const create = (token: string, json: unknown, path: string = FAMILIES[0]) =>
  service.call<Key>("POST", path, { token, json });
/** What a key is let do; listing projects is the least. */
const list = (key: string | null) => service.call("GET", "/api/projects", { token: key ?? "" });

it.each(FAMILIES)(
  "keys at %s are shown once, listed, rotated and revoked by their owner alone",
  async (path) => {
    const [{ token }, stranger] = [await service.signUp(), await service.signUp()];
    const first = await create(token, { name: "  first  " }, path);
    const raw = first.body.key ?? "";
    expect([first.status, first.body]).toEqual([
      200,
      {
        id: expect.any(String),
        key_id: first.body.id,
        name: "first",
        key_prefix: raw.slice(0, 8),
        scope: "team",
        scopes: null,
        project_id: null,
        project_ids: null,
        team_id: expect.any(String),
        agent_id: null,
        is_active: true,
        created_at: expect.stringMatching(/Z$/u),
        last_used_at: null,
        expires_at: null,
        key: expect.stringMatching(/^tsk_[0-9a-f]{32}$/u),
        raw_key: raw,
        webhook_secret: expect.stringMatching(/^whsec_/u),
      },
    ]);
    expect((await list(raw)).status).toBe(200);
    const second = await create(token, { name: "second" }, path);
    const rotated = await service.call("POST", `${path}/${first.body.id}/rotate-secret`, { token });
    expect(rotated).toMatchObject({
      status: 200,
      body: {
        key_id: first.body.id,
        webhook_secret: expect.stringMatching(/^whsec_/u),
        previous_secret_until: expect.stringMatching(/Z$/u),
      },
    });
    const listed = await service.call<Key[]>("GET", path, { token });
    expect(listed.body).toMatchObject([
      { id: second.body.id },
      {
        id: first.body.id,
        key: null,
        raw_key: null,
        webhook_secret: null,
        last_used_at: expect.stringMatching(/Z$/u),
      },
    ]);
    expect(listed.text).not.toContain(raw);
    expect(listed.text).not.toContain("whsec_");
    expect((await service.call("GET", path, { token: raw })).status).toBe(401);
    for (const id of [first.body.id, "%00"]) {
      const answer = await service.call("DELETE", `${path}/${id}`, { token: stranger.token });
      expect(answer).toMatchObject({ status: 404, body: { detail: "API key not found" } });
    }
    expect((await list(raw)).status).toBe(200);
    const revoke = () => service.call("DELETE", `${path}/${first.body.id}`, { token });
    expect(await revoke()).toMatchObject({
      status: 200,
      body: { status: "deactivated", key_id: first.body.id },
    });
    expect((await list(raw)).status).toBe(401);
    expect(await revoke()).toMatchObject({ status: 400, body: { detail: "API key is already deactivated" } });
    const left = await service.call<Key[]>("GET", path, { token });
    expect(left.body[1]).toMatchObject({ id: first.body.id, is_active: false });
    const scopes = await service.call<unknown[]>("GET", `${path}/scopes`, { token });
    expect(scopes.body).toContainEqual({ value: "chat.send", label: "Chat send", category: "Chat" });
  },
);

describe("a new key", () => {
  it("is bound to projects under either name, and limited to the permissions it was given", async () => {
    const { token } = await service.signUp();
    const [one, two] = [await service.newProject(token), await service.newProject(token)];
    const single = await create(token, { name: "one", project_id: one.id });
    expect(single.body).toMatchObject({ scope: "project", project_id: one.id, project_ids: [one.id] });
    const project_ids = [one.id, two.id];
    const several = await create(token, { name: "two", scope: "project", project_ids });
    expect(several.body).toMatchObject({ scope: "project", project_id: one.id, project_ids });
    const key = single.body.key ?? "";
    expect((await service.call("GET", `/api/projects/${one.slug}`, { token: key })).status).toBe(200);
    for (const name of [two.slug, crypto.randomUUID()]) {
      const answer = await service.call("GET", `/api/projects/${name}`, { token: key });
      expect(answer).toMatchObject({
        status: 403,
        body: { detail: "API key does not have access to this project" },
      });
    }
    const reader = await create(token, { name: "reader", scopes: ["chat.view", "chat.view"] });
    expect(reader.body).toMatchObject({ scopes: ["chat.view"] });
    expect(await list(reader.body.key)).toMatchObject({
      status: 403,
      body: { detail: "API key lacks required scope: project.list" },
    });
  });

  it("expires when it was told to", async () => {
    const { token } = await service.signUp();
    const inTwoDays = new Date(Date.now() + 2 * DAY_MS).toISOString();
    for (const expires_at of [inTwoDays, inTwoDays.replace("Z", "")]) {
      const { body } = await create(token, { name: "dated", expires_at });
      expect(body).toMatchObject({ expires_at: inTwoDays });
    }
    const { body } = await create(token, { name: "days", expires_in_days: 2 });
    expect(Date.parse(body.expires_at ?? "")).toBeGreaterThanOrEqual(Date.parse(inTwoDays));
    expect(Date.parse(body.expires_at ?? "")).toBeLessThanOrEqual(Date.now() + 2 * DAY_MS);
    expect((await list(body.key)).status).toBe(200);
    await databaseOf(service)
      .update(externalApiKeys)
      .set({ expiresAt: new Date() })
      .where(eq(externalApiKeys.id, body.id));
    expect(await list(body.key)).toMatchObject({ status: 401, body: { detail: "API key expired" } });
  });

  it.each([
    ["a blank name", { name: "   " }, 422],
    ["an unknown permission", { name: "key", scopes: ["chat.fly"] }, 422],
    ["a time that has passed", { name: "key", expires_at: "2020-01-01T00:00:00Z" }, 422],
    ["no time at all", { name: "key", expires_at: "soon" }, 422],
    ["a year beyond reckoning", { name: "key", expires_at: "9999-12-31T23:59:59-23:00" }, 422],
    ["project scope without a project", { name: "key", scope: "project" }, 422],
    ["team scope with a project", { name: "key", scope: "team", project_id: crypto.randomUUID() }, 422],
    ["another person's project", { name: "key", project_id: crypto.randomUUID() }, 404],
  ])("is refused for %s", async (_, json, status) => {
    const answer = await create((await service.signUp()).token, json);
    expect([answer.status, answer.body]).toEqual([status, { detail: expect.any(String) }]);
  });

  it("is refused when it would be the eleventh", async () => {
    const { token } = await service.signUp();
    const made = await Promise.all(Array.from({ length: 11 }, () => create(token, { name: "key" })));
    expect(made.filter(({ status }) => status !== 200)).toMatchObject([
      { status: 400, body: { detail: expect.stringMatching(/^Maximum of 10 active API keys allowed/u) } },
    ]);
  });
});

it("a key that was never issued is refused", async () => {
  for (const key of ["tsk_short", `tsk_${"0".repeat(32)}`]) {
    expect(await list(key)).toMatchObject({ status: 401, body: { detail: "Invalid API key" } });
  }
});
