import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { externalApiKeys } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

interface Key {
  id: string;
  key: string | null;
  is_active: boolean;
  expires_at: string | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const FAMILIES = ["/api/external-api-keys", "/api/external/keys"] as const;

const create = (token: string, json: unknown, path: string = FAMILIES[0]) =>
  service.call<Key>("POST", path, { token, json });
/** Whether a key is let in; listing projects is the least it may do. */
const statusWith = async (key: string) => (await service.call("GET", "/api/projects", { token: key })).status;

describe.each(FAMILIES)("keys at %s", (path) => {
  it("are shown raw once, and listed without it, newest first", async () => {
    const { token, id: userId } = await service.signUp();
    const first = await create(token, { name: "  first  " }, path);
    expect(first.status).toBe(200);
    const raw = first.body.key ?? "";
    expect(first.body).toEqual({
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
    });
    expect(await statusWith(raw)).toBe(200);
    const second = await create(token, { name: "second" }, path);
    const list = await service.call<Key[]>("GET", path, { token });
    expect(list.body.map(({ id }) => id)).toEqual([second.body.id, first.body.id]);
    expect(list.body[1]).toMatchObject({ key: null, raw_key: null, webhook_secret: null });
    expect(list.body[1]).toMatchObject({ last_used_at: expect.stringMatching(/Z$/u) });
    expect(list.text).not.toContain(raw);
    expect(userId).toBeDefined();
  });

  it("get a new callback secret, which is shown once", async () => {
    const { token } = await service.signUp();
    const { body: key } = await create(token, { name: "rotated" }, path);
    const rotated = await service.call("POST", `${path}/${key.id}/rotate-secret`, { token });
    expect(rotated).toMatchObject({
      status: 200,
      body: {
        key_id: key.id,
        webhook_secret: expect.stringMatching(/^whsec_/u),
        previous_secret_until: expect.stringMatching(/Z$/u),
      },
    });
    expect((await service.call("GET", path, { token })).text).not.toContain("whsec_");
    expect(await statusWith(key.key ?? "")).toBe(200);
  });

  it("stop at once when they are revoked, and stay listed", async () => {
    const { token } = await service.signUp();
    const { body } = await create(token, { name: "key" }, path);
    const revoked = await service.call("DELETE", `${path}/${body.id}`, { token });
    expect(revoked).toMatchObject({ status: 200, body: { status: "deactivated", key_id: body.id } });
    expect(await statusWith(body.key ?? "")).toBe(401);
    const again = await service.call("DELETE", `${path}/${body.id}`, { token });
    expect(again).toMatchObject({ status: 400, body: { detail: "API key is already deactivated" } });
    const list = await service.call<Key[]>("GET", path, { token });
    expect(list.body).toEqual([expect.objectContaining({ id: body.id, is_active: false })]);
  });

  it("are not found by another person", async () => {
    const [owner, stranger] = [await service.signUp(), await service.signUp()];
    const { body } = await create(owner.token, { name: "key" }, path);
    for (const id of [body.id, "no-id", "%00"]) {
      const answer = await service.call("DELETE", `${path}/${id}`, { token: stranger.token });
      expect(answer).toMatchObject({ status: 404, body: { detail: "API key not found" } });
    }
    expect(await statusWith(body.key ?? "")).toBe(200);
  });

  it("have permissions with words for them", async () => {
    const { token } = await service.signUp();
    const { body } = await service.call<unknown[]>("GET", `${path}/scopes`, { token });
    expect(body).toContainEqual({ value: "chat.send", label: "Chat send", category: "Chat" });
  });

  it("cannot manage keys", async () => {
    const { token } = await service.signUp();
    const { body } = await create(token, { name: "key" }, path);
    const answer = await service.call("GET", path, { token: body.key ?? "" });
    expect(answer).toMatchObject({ status: 401, body: { detail: "Unauthorized" } });
  });
});

describe("a new key", () => {
  it("is bound to projects under either name", async () => {
    const { token } = await service.signUp();
    const [one, two] = [await service.newProject(token), await service.newProject(token)];
    const single = await create(token, { name: "one", project_id: one.id });
    expect(single.body).toMatchObject({ scope: "project", project_id: one.id, project_ids: [one.id] });
    const several = await create(token, { name: "two", scope: "project", project_ids: [one.id, two.id] });
    expect(several.body).toMatchObject({
      scope: "project",
      project_id: one.id,
      project_ids: [one.id, two.id],
    });
    const key = single.body.key ?? "";
    expect((await service.call("GET", `/api/projects/${one.slug}`, { token: key })).status).toBe(200);
    for (const name of [two.id, two.slug, crypto.randomUUID()]) {
      const answer = await service.call("GET", `/api/projects/${name}`, { token: key });
      expect(answer).toMatchObject({
        status: 403,
        body: { detail: "API key does not have access to this project" },
      });
    }
  });

  it("expires when it was told to", async () => {
    const { token } = await service.signUp();
    const inTwoDays = new Date(Date.now() + 2 * DAY_MS).toISOString();
    expect((await create(token, { name: "dated", expires_at: inTwoDays })).body).toMatchObject({
      expires_at: inTwoDays,
    });
    const zoneless = inTwoDays.replace("Z", "");
    expect((await create(token, { name: "naive", expires_at: zoneless })).body).toMatchObject({
      expires_at: inTwoDays,
    });
    const { body } = await create(token, { name: "days", expires_in_days: 2 });
    expect(Math.abs(Date.parse(body.expires_at ?? "") - Date.parse(inTwoDays))).toBeLessThan(60_000);
    const brief = await create(token, { name: "brief", expires_at: inTwoDays });
    expect(await statusWith(brief.body.key ?? "")).toBe(200);
    await databaseOf(service)
      .update(externalApiKeys)
      .set({ expiresAt: new Date() })
      .where(eq(externalApiKeys.id, brief.body.id));
    expect(await statusWith(brief.body.key ?? "")).toBe(401);
    const answer = await service.call("GET", "/api/projects", { token: brief.body.key ?? "" });
    expect(answer.body).toEqual({ detail: "API key expired" });
  });

  it("is limited to the permissions it was given", async () => {
    const { token } = await service.signUp();
    const { body } = await create(token, { name: "reader", scopes: ["chat.view", "chat.view"] });
    expect(body).toMatchObject({ scopes: ["chat.view"] });
    const answer = await service.call("GET", "/api/projects", { token: body.key ?? "" });
    expect(answer).toMatchObject({
      status: 403,
      body: { detail: "API key lacks required scope: project.list" },
    });
  });

  it.each([
    ["no name", {}, 422],
    ["a blank name", { name: "   " }, 422],
    ["a name of 101 characters", { name: "x".repeat(101) }, 422],
    ["an unknown permission", { name: "key", scopes: ["chat.fly"] }, 422],
    ["a time that has passed", { name: "key", expires_at: "2020-01-01T00:00:00Z" }, 422],
    ["no time at all", { name: "key", expires_at: "soon" }, 422],
    ["minus one day", { name: "key", expires_in_days: -1 }, 422],
    ["a year beyond reckoning", { name: "key", expires_at: "9999-12-31T23:59:59-23:00" }, 422],
    ["project scope without a project", { name: "key", scope: "project" }, 422],
    ["team scope with a project", { name: "key", scope: "team", project_id: crypto.randomUUID() }, 422],
    ["a project that is none", { name: "key", project_id: "nope" }, 422],
    ["another person's project", { name: "key", project_id: crypto.randomUUID() }, 404],
  ])("is refused for %s", async (_, json, status) => {
    const { token } = await service.signUp();
    const answer = await create(token, json);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ detail: expect.any(String) });
  });

  it("is refused when it would be the eleventh", async () => {
    const { token } = await service.signUp();
    const made = await Promise.all(Array.from({ length: 14 }, () => create(token, { name: "key" })));
    expect(made.filter(({ status }) => status === 200)).toHaveLength(10);
    const detail = expect.stringMatching(/^Maximum of 10 active API keys allowed/u);
    for (const { status, body } of made.filter((answer) => answer.status !== 200)) {
      expect({ status, body }).toEqual({ status: 400, body: { detail } });
    }
  });
});

describe("a key that was never issued", () => {
  it.each(["tsk_short", `tsk_${"0".repeat(32)}`, `tsk_${"G".repeat(32)}`])("is refused: %s", async (key) => {
    expect(await service.call("GET", "/api/projects", { token: key })).toMatchObject({
      status: 401,
      body: { detail: "Invalid API key" },
    });
  });
});
