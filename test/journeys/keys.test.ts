import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

const DAY_MS = 24 * 60 * 60 * 1000;
const PATH = "/api/external-api-keys";

const create = (token: string, json: unknown) => service.call<api.ApiKey>("POST", PATH, { token, json });
const list = (key: string) => service.call("GET", "/api/projects", { token: key });

it("a key is shown once, listed, rotated and revoked by its owner alone", async () => {
  const { token } = await service.signUp();
  const first = await create(token, { name: "  first  " });
  const raw = first.body.key ?? "";
  expect([first.status, first.body]).toMatchObject([
    200,
    {
      id: expect.any(String),
      key_id: first.body.id,
      name: "first",
      key_prefix: raw.slice(0, 8),
      scope: "team",
      is_active: true,
      last_used_at: null,
      key: expect.stringMatching(/^tsk_[0-9a-f]{32}$/u),
      raw_key: raw,
      webhook_secret: expect.stringMatching(/^whsec_/u),
    },
  ]);
  expect((await list(raw)).status).toBe(200);
  const second = await create(token, { name: "second" });
  const rotated = await service.call("POST", `${PATH}/${first.body.id}/rotate-secret`, { token });
  expect(rotated).toMatchObject({
    status: 200,
    body: {
      key_id: first.body.id,
      webhook_secret: expect.stringMatching(/^whsec_/u),
      previous_secret_until: expect.stringMatching(/Z$/u),
    },
  });
  const listed = await service.call<api.ApiKey[]>("GET", PATH, { token });
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
  const revoke = () => service.call("DELETE", `${PATH}/${first.body.id}`, { token });
  expect(await revoke()).toMatchObject({
    status: 200,
    body: { status: "deactivated", key_id: first.body.id },
  });
  expect((await list(raw)).status).toBe(401);
  expect(await revoke()).toMatchObject({ status: 400, body: { detail: "API key is already deactivated" } });
  const left = await service.call<api.ApiKey[]>("GET", PATH, { token });
  expect(left.body[1]).toMatchObject({ id: first.body.id, is_active: false });
});

describe("a new key", () => {
  it("is bound to projects under either name, and limited to the permissions it was given", async () => {
    const { token } = await service.signUp();
    const [one, two] = [await service.newProject(token), await service.newProject(token)];
    const single = await create(token, { name: "one", project_id: one.id });
    expect(single.body).toMatchObject({ scope: "project", project_id: one.id, project_ids: [one.id] });
    const project_ids = [one.id, two.id];
    const several = await create(token, { name: "two", scope: "project", project_ids });
    expect(several.body).toMatchObject({ scope: "project", project_id: one.id, project_ids });
    const reader = await create(token, { name: "reader", scopes: ["chat.view", "chat.view"] });
    expect(reader.body).toMatchObject({ scopes: ["chat.view"] });
  });

  it("has the end that it was told, in UTC where it says no zone", async () => {
    const { token } = await service.signUp();
    const inTwoDays = new Date(Date.now() + 2 * DAY_MS).toISOString();
    for (const expires_at of [inTwoDays, inTwoDays.replace("Z", "")]) {
      const { body } = await create(token, { name: "dated", expires_at });
      expect(body).toMatchObject({ expires_at: inTwoDays });
    }
    const { body } = await create(token, { name: "days", expires_in_days: 2 });
    expect(Date.parse(body.expires_at ?? "")).toBeGreaterThanOrEqual(Date.parse(inTwoDays));
    expect(Date.parse(body.expires_at ?? "")).toBeLessThanOrEqual(Date.now() + 2 * DAY_MS);
  });

  it.each([
    ["a time that has passed", { name: "key", expires_at: "2020-01-01T00:00:00Z" }, 422],
    ["a year beyond reckoning", { name: "key", expires_at: "9999-12-31T23:59:59-23:00" }, 422],
    ["project scope without a project", { name: "key", scope: "project" }, 422],
    ["team scope with a project", { name: "key", scope: "team", project_id: crypto.randomUUID() }, 422],
  ])("is refused for %s", async (_, json, status) => {
    const answer = await create((await service.signUp()).token, json);
    expect([answer.status, answer.body]).toEqual([status, { detail: expect.any(String) }]);
  });
});
