import { describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

interface Minted {
  pairing_token: string;
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

const mint = (token: string, json: unknown = {}) =>
  service.call<Minted>("POST", "/api/desktop/pair", { token, json });
const exchange = (json: unknown) => service.call<Paired>("POST", "/api/desktop/pair/exchange", { json });
const complete = (token: string, json: unknown = LAPTOP) =>
  service.call<Paired>("POST", "/api/desktop/pair/complete", { token, json });
const ping = (token: string) => service.call("GET", "/api/desktop/session/ping", { token });
const devices = (token: string) => service.call("GET", "/api/desktop/devices", { token });

/** Pairs a device with this account, from the link to the key. */
async function pair({ token }: Account): Promise<Paired> {
  const minted = await mint(token);
  const paired = await exchange({ token: minted.body.pairing_token, ...LAPTOP });
  expect([minted.status, paired.status]).toEqual([200, 200]);
  return paired.body;
}

const ended = ({ device_id, api_key_id }: Paired) => ({
  status: 200,
  body: { revoked: true, device_id, api_key_id },
});

describe("pairing", () => {
  it("goes from a link, which is good once, to a key that answers to ping and is nowhere shown again", async () => {
    const { token, id: userId } = await service.signUp();
    const minted = await mint(token);
    expect(minted.body).toEqual({
      pairing_token: expect.stringMatching(/^[\w-]{64}$/u),
      deep_link: `workspace://pair?token=${minted.body.pairing_token}`,
      expires_at: expect.stringMatching(/Z$/u),
    });
    expect(minted.headers.get("cache-control")).toBe("no-store");
    const { body: paired } = await exchange({ token: minted.body.pairing_token, ...LAPTOP });
    expect(paired).toEqual({
      device_id: expect.any(String),
      api_key_id: expect.any(String),
      token: expect.stringMatching(/^tsk_[0-9a-f]{32}$/u),
      scopes: ["desktop.pair", "marketplace.read", "models.proxy", "usage.read", "agents.read"],
      expires_at: null,
    });
    const again = await exchange({ token: minted.body.pairing_token, ...LAPTOP });
    expect(again).toMatchObject({
      status: 401,
      body: { detail: "Pairing token is invalid or expired: ask for a new one" },
    });
    const answered = await ping(paired.token);
    const { device_id, api_key_id } = paired;
    expect(answered).toMatchObject({
      status: 200,
      body: { ok: true, paired: true, user_id: userId, key_id: api_key_id, device_id, expires_at: null },
    });
    const listed = await devices(token);
    expect(listed.body).toEqual([
      {
        id: device_id,
        name: "Laptop",
        platform: "macos",
        fingerprint: "f1",
        app_version: "1.2.3",
        api_key_id,
        created_at: expect.stringMatching(/Z$/u),
        last_seen_at: expect.stringMatching(/Z$/u),
        is_active: true,
      },
    ]);
    const keys = await service.call("GET", "/api/external-api-keys", { token });
    for (const text of [again.text, answered.text, listed.text, keys.text]) {
      expect(text).not.toContain(paired.token);
    }
  });

  it("needs no name for the device, and without a link hands the key to the page that asks", async () => {
    const { token } = await service.signUp();
    const { status, body } = await complete(token, { scopes: ["chat.view"] });
    expect([status, body.scopes]).toEqual([200, ["desktop.pair", "chat.view"]]);
    expect(await ping(body.token)).toMatchObject({ body: { paired: true, device_id: body.device_id } });
    expect((await devices(token)).body).toMatchObject([{ name: "Unnamed device", platform: null }]);
  });

  it.each([
    ["a key in the place of the token", { token: `tsk_${"0".repeat(32)}` }, 401],
    ["no token", {}, 422],
    ["a blank name", { token: "a", device_name: "  " }, 422],
    ["half a character", { token: "a", device_name: "\ud800" }, 422],
  ])("is refused for %s", async (_, json, status) => {
    const { body, ...answer } = await exchange(json);
    expect([answer.status, body]).toEqual([status, { detail: expect.any(String) }]);
  });

  it.each([mint, complete])("refuses permissions that are none, and is not for keys", async (ask) => {
    const { token } = await service.signUp();
    expect(await ask(token, { scopes: ["chat.fly"] })).toMatchObject({
      status: 400,
      body: { detail: "Unknown scope: chat.fly" },
    });
    const { key } = await service.newKey(token);
    expect(await ask(key)).toMatchObject({ status: 401, body: { detail: "Unauthorized" } });
  });

  it("keeps at most ten links waiting", async () => {
    const { token } = await service.signUp();
    const answers = await Promise.all(Array.from({ length: 11 }, () => mint(token)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toMatchObject([
      { status: 429, body: { detail: expect.stringContaining("Maximum of 10 unused pairing links") } },
    ]);
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("unpairing", () => {
  it("by the device, by its owner or by revoking the key ends its key at once, and is not for strangers", async () => {
    const [person, stranger] = [await service.signUp(), await service.signUp()];
    const [own, owners, listed] = [await pair(person), await pair(person), await pair(person)];
    const unpair = (id: string, { token }: Account) =>
      service.call("DELETE", `/api/desktop/devices/${id}`, { token });
    for (const id of [owners.device_id, "%00"]) {
      expect(await unpair(id, stranger)).toMatchObject({ status: 404, body: { detail: "Device not found" } });
    }
    expect((await devices(stranger.token)).body).toEqual([]);
    expect(await service.call("POST", "/api/v1/desktop/pair/revoke", { token: own.token })).toMatchObject(
      ended(own),
    );
    // It may be repeated.
    for (const id of [owners.device_id, `${owners.device_id}/`]) {
      expect(await unpair(id, person)).toMatchObject(ended(owners));
    }
    await service.call("DELETE", `/api/external-api-keys/${listed.api_key_id}`, { token: person.token });
    for (const { token } of [own, owners, listed]) {
      expect(await ping(token)).toMatchObject({ status: 401, body: { detail: "Invalid API key" } });
    }
    const inactive = Array.from({ length: 3 }, () => expect.objectContaining({ is_active: false }));
    expect((await devices(person.token)).body).toEqual(inactive);
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
