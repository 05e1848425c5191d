import { readFileSync } from "node:fs";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { pairingTokens } from "#src/db/schema/index.ts";
import type { Account } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { startService, type TestService } from "#test/support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
});

interface Minted {
  pairing_token: string;
  deep_link: string;
  expires_at: string;
}

interface Paired {
  device_id: string;
  api_key_id: string;
  token: string;
  scopes: string[];
}

const LAPTOP = {
  device_name: "Laptop",
  device_platform: "macos",
  device_fingerprint: "f1",
  app_version: "1.2.3",
};

const mint = (token: string, json: unknown = {}, at = service) =>
  at.call<Minted>("POST", "/api/desktop/pair", { token, json });
const exchange = (json: unknown, at = service) =>
  at.call<Paired>("POST", "/api/desktop/pair/exchange", { json });
const complete = (token: string, json: unknown = LAPTOP) =>
  service.call<Paired>("POST", "/api/desktop/pair/complete", { token, json });
const ping = (token: string) => service.call("GET", "/api/desktop/session/ping", { token });
const devices = async (token: string) =>
  (await service.call<{ id: string; is_active: boolean }[]>("GET", "/api/desktop/devices", { token })).body;

/** Pairs a device with this account, from the link to the key. */
async function pair({ token }: Account): Promise<Paired> {
  const minted = await mint(token);
  const paired = await exchange({ token: minted.body.pairing_token, ...LAPTOP });
  expect([minted.status, paired.status]).toEqual([200, 200]);
  return paired.body;
}

const refusal = {
  status: 401,
  body: { detail: "Pairing token is invalid or expired: ask for a new one" },
};

describe("pairing", () => {
  it("goes from a link to a key that answers to ping", async () => {
    const { token, id: userId } = await service.signUp();
    const minted = await mint(token);
    expect(minted.body).toEqual({
      pairing_token: expect.stringMatching(/^[\w-]{64}$/u),
      deep_link: `workspace://pair?token=${minted.body.pairing_token}`,
      expires_at: expect.stringMatching(/Z$/u),
    });
    expect(minted.headers.get("cache-control")).toBe("no-store");
    const paired = await exchange({ token: minted.body.pairing_token, ...LAPTOP });
    expect(paired.body).toEqual({
      device_id: expect.any(String),
      api_key_id: expect.any(String),
      token: expect.stringMatching(/^tsk_[0-9a-f]{32}$/u),
      scopes: ["desktop.pair", "marketplace.read", "models.proxy", "usage.read", "agents.read"],
      expires_at: null,
    });
    expect(await ping(paired.body.token)).toMatchObject({
      status: 200,
      body: {
        ok: true,
        paired: true,
        user_id: userId,
        key_id: paired.body.api_key_id,
        device_id: paired.body.device_id,
        expires_at: null,
      },
    });
    expect(await devices(token)).toEqual([
      {
        id: paired.body.device_id,
        name: "Laptop",
        platform: "macos",
        fingerprint: "f1",
        app_version: "1.2.3",
        api_key_id: paired.body.api_key_id,
        created_at: expect.stringMatching(/Z$/u),
        last_seen_at: expect.stringMatching(/Z$/u),
        is_active: true,
      },
    ]);
  });

  it("needs no name for the device", async () => {
    const { token } = await service.signUp();
    const { body } = await mint(token);
    expect((await exchange({ token: body.pairing_token })).status).toBe(200);
    expect(await devices(token)).toMatchObject([{ name: "Unnamed device", platform: null }]);
  });

  it("lets one of fifty exchanges of one token win, and none after it", async () => {
    const { token } = await service.signUp();
    const { body } = await mint(token);
    const attempt = () => exchange({ token: body.pairing_token, ...LAPTOP });
    const answers = await Promise.all(Array.from({ length: 50 }, attempt));
    const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status);
    expect(winner?.status).toBe(200);
    for (const { status, body: refused } of others) expect({ status, body: refused }).toEqual(refusal);
    expect(await attempt()).toMatchObject(refusal);
    expect(await devices(token)).toHaveLength(1);
    expect((await ping(winner?.body.token ?? "")).status).toBe(200);
  });

  it.each([
    ["an unknown token", { token: "nobody-has-minted-this" }, 401],
    ["a key in its place", { token: `tsk_${"0".repeat(32)}` }, 401],
    ["no token", {}, 422],
    ["an empty token", { token: "" }, 422],
    ["a list", { token: ["a"] }, 422],
    ["a name of 201 characters", { token: "a", device_name: "x".repeat(201) }, 422],
    ["a blank name", { token: "a", device_name: "  " }, 422],
    ["half a character", { token: "a", device_name: "\ud800" }, 422],
    ["a long platform", { token: "a", device_platform: "x".repeat(41) }, 422],
    ["a long fingerprint", { token: "a", device_fingerprint: "x".repeat(129) }, 422],
  ])("is refused for %s", async (_, json, status) => {
    const answer = await exchange(json);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status,
      body: { detail: expect.any(String) },
    });
  });

  it("shows the key once, and neither key nor token to a log", async () => {
    const person = await service.signUp();
    const minted = await mint(person.token);
    const paired = await exchange({ token: minted.body.pairing_token, ...LAPTOP });
    const key = paired.body.token;
    const shown = await Promise.all([
      exchange({ token: minted.body.pairing_token, ...LAPTOP }),
      ping(key),
      service.call("GET", "/api/desktop/devices", { token: person.token }),
      service.call("GET", "/api/external-api-keys", { token: person.token }),
    ]);
    expect(shown.map(({ text }) => text).join("")).not.toContain(key);
    const requests = () => readFileSync(service.stack.logFile, "utf8");
    await vi.waitUntil(() => requests().includes("/api/desktop/session/ping"));
    expect(requests()).not.toContain(key);
    expect(requests()).not.toContain(minted.body.pairing_token);
  });

  it("without a link hands the key to the page that asks", async () => {
    const { token } = await service.signUp();
    const { status, body } = await complete(token, { ...LAPTOP, scopes: ["chat.view"] });
    expect([status, body.scopes]).toEqual([200, ["desktop.pair", "chat.view"]]);
    expect(await ping(body.token)).toMatchObject({ body: { paired: true, device_id: body.device_id } });
  });

  it.each([mint, complete])("refuses permissions that are none, or are a key's own", async (ask) => {
    const { token } = await service.signUp();
    expect(await ask(token, { scopes: ["chat.fly"] })).toMatchObject({
      status: 400,
      body: { detail: "Unknown scope: chat.fly" },
    });
    expect((await ask(token, { scopes: "chat.view" })).status).toBe(422);
    const { key } = await service.newKey(token);
    expect(await ask(key)).toMatchObject({ status: 401, body: { detail: "Unauthorized" } });
  });

  it("stops at ten devices, and the refused token is good when there is room", async () => {
    const person = await service.signUp();
    const waiting = await mint(person.token);
    const answers = await Promise.all(Array.from({ length: 12 }, () => complete(person.token)));
    const paired = answers.filter(({ status }) => status === 200);
    expect(paired).toHaveLength(10);
    const attempt = () => exchange({ token: waiting.body.pairing_token, ...LAPTOP });
    const full = { status: 400, body: { detail: expect.stringContaining("Maximum of 10") } };
    expect(await attempt()).toMatchObject(full);
    expect(answers.find(({ status }) => status !== 200)).toMatchObject(full);
    const eleventhKey = await service.call("POST", "/api/external-api-keys", {
      token: person.token,
      json: { name: "key" },
    });
    expect(eleventhKey).toMatchObject(full);
    const id = paired[0]?.body.api_key_id ?? "";
    await service.call("DELETE", `/api/external-api-keys/${id}`, { token: person.token });
    expect((await attempt()).status).toBe(200);
  });

  it("keeps at most ten links waiting", async () => {
    const { token } = await service.signUp();
    const answers = await Promise.all(Array.from({ length: 12 }, () => mint(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.find(({ status }) => status !== 200);
    expect(refused).toMatchObject({
      status: 429,
      body: { detail: expect.stringContaining("Maximum of 10 unused pairing links") },
    });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("unpairing", () => {
  it("by the device ends its key at once", async () => {
    const person = await service.signUp();
    const { token, device_id, api_key_id } = await pair(person);
    const revoked = await service.call("POST", "/api/v1/desktop/pair/revoke", { token });
    expect(revoked).toMatchObject({ status: 200, body: { revoked: true, device_id, api_key_id } });
    expect(await ping(token)).toMatchObject({ status: 401, body: { detail: "Invalid API key" } });
    expect(await devices(person.token)).toMatchObject([{ id: device_id, is_active: false }]);
    const keys = await service.call<unknown[]>("GET", "/api/external-api-keys", { token: person.token });
    expect(keys.body).toEqual([expect.objectContaining({ name: "Desktop: Laptop", is_active: false })]);
  });

  it("by the owner ends its key at once, and may be repeated", async () => {
    const person = await service.signUp();
    const { token, device_id, api_key_id } = await pair(person);
    for (const [method, path] of [
      ["DELETE", `/api/desktop/devices/${device_id}`],
      ["DELETE", `/api/desktop/devices/${device_id}/`],
    ] as const) {
      const answer = await service.call(method, path, { token: person.token });
      expect(answer).toMatchObject({ status: 200, body: { revoked: true, device_id, api_key_id } });
    }
    expect((await ping(token)).status).toBe(401);
  });

  it("is what revoking the key in the list of keys does", async () => {
    const person = await service.signUp();
    const { token, device_id, api_key_id } = await pair(person);
    await service.call("DELETE", `/api/external-api-keys/${api_key_id}`, { token: person.token });
    expect((await ping(token)).status).toBe(401);
    expect(await devices(person.token)).toMatchObject([{ id: device_id, is_active: false }]);
  });

  it("is not for strangers", async () => {
    const [person, stranger] = [await service.signUp(), await service.signUp()];
    const { token, device_id } = await pair(person);
    for (const id of [device_id, crypto.randomUUID(), "no-id", "%00"]) {
      const answer = await service.call("DELETE", `/api/desktop/devices/${id}`, { token: stranger.token });
      expect(answer).toMatchObject({ status: 404, body: { detail: "Device not found" } });
    }
    expect(await devices(stranger.token)).toEqual([]);
    expect((await ping(token)).status).toBe(200);
  });

  it("by a key asks for the permission, which a ping does not", async () => {
    const { token } = await service.signUp();
    const { body } = await service.call<{ id: string; key: string }>("POST", "/api/external-api-keys", {
      token,
      json: { name: "reader", scopes: ["chat.view"] },
    });
    expect(await ping(body.key)).toMatchObject({
      status: 200,
      body: { ok: true, paired: false, key_id: body.id, device_id: null },
    });
    expect(await service.call("POST", "/api/v1/desktop/pair/revoke", { token: body.key })).toMatchObject({
      status: 403,
      body: { detail: "API key lacks required scope: desktop.pair" },
    });
    expect(await ping(token)).toMatchObject({ status: 401, body: { detail: "Invalid API key" } });
  });
});

describe("with links that live for a minute, and few attempts", () => {
  let strict: TestService;
  beforeAll(async () => {
    strict = await startService({
      PAIRING_TOKEN_EXPIRY_SECONDS: "60",
      AUTH_ATTEMPTS_PER_ADDRESS: "5",
      DESKTOP_SCHEME: "x-shell",
    });
  });
  afterAll(async () => {
    await strict.close();
  });

  it("an expired token is refused, a good one does not count, and guesses end soon", async () => {
    const { token, id: userId } = await strict.signUp();
    const old = await mint(token, {}, strict);
    expect(old.body.deep_link).toBe(`x-shell://pair?token=${old.body.pairing_token}`);
    await databaseOf(strict)
      .update(pairingTokens)
      .set({ expiresAt: sql`${pairingTokens.expiresAt} - interval '61 seconds'` })
      .where(eq(pairingTokens.userId, userId));
    expect(await exchange({ token: old.body.pairing_token }, strict)).toMatchObject(refusal);
    for (let round = 1; round <= 5; round += 1) {
      const { body } = await mint(token, {}, strict);
      expect((await exchange({ token: body.pairing_token }, strict)).status).toBe(200);
    }
    const guesses = await Promise.all(Array.from({ length: 8 }, () => exchange({ token: "guess" }, strict)));
    const statuses = guesses.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429, 429, 429]);
    const { body } = await mint(token, {}, strict);
    const refused = await exchange({ token: body.pairing_token }, strict);
    expect(refused).toMatchObject({ status: 429, body: { detail: expect.stringMatching(/^Too many/u) } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("x-ratelimit-limit")).toBe("5");
  });
});
