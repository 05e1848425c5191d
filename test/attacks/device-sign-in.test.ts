import type { api } from "@agent-workspace/client";
import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { afterAll, describe, expect, it } from "vitest";
import { sha256Hex } from "#src/lib/hash.ts";
import { browser, signedIn } from "#test/support/browser.ts";
import { databaseOf } from "#test/support/database.ts";
import { startService } from "#test/support/service.ts";

// One trusted proxy, so that requests can come from several addresses.
const service = await startService({ TRUSTED_PROXY_HOPS: "1", AUTH_ATTEMPTS_PER_ACCOUNT: "10" });
afterAll(() => service.close());

let addresses = 0;
/** Each request comes from an address of its own. */
const post = <T = { error?: string }>(path: string, json: object, headers: Record<string, string> = {}) =>
  service.call<T>("POST", `/api/auth/device/${path}`, {
    json,
    headers: { "x-forwarded-for": `10.0.${(addresses += 1)}.1`, ...headers },
  });
const begin = async () =>
  (await post<api.DeviceSignIn>("code", { client_name: "workspace CLI on laptop" })).body;
const poll = (device_code: string) => post("token", { device_code });
const decide = (token: string, user_code: string, decision = "approve") =>
  post("decide", { user_code, decision }, { authorization: `Bearer ${token}` });

const isWaiting = { status: 400, body: { error: "authorization_pending", detail: expect.any(String) } };

describe("guessing", () => {
  it("user codes ends after five wrong ones of a person, from however many addresses", async () => {
    const { token } = await service.signUp("attacker");
    const { user_code, device_code } = await begin();
    for (let guess = 1; guess <= 5; guess += 1) expect((await decide(token, "BCDF-GHJK")).status).toBe(404);
    const refused = await decide(token, user_code);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await poll(device_code)).toMatchObject(isWaiting);
  });

  it.each(["", "*", "____-____", "B".repeat(50), "' OR 1=1 --"])(
    "a user code finds nothing by %j",
    async (code) => {
      const { token } = await service.signUp("attacker");
      expect([404, 422]).toContain((await decide(token, code)).status);
    },
  );

  it("a device code finds nothing: neither the user code, nor a hash, nor another spelling", async () => {
    const { device_code, user_code } = await begin();
    const swapped = device_code.replaceAll(/[a-z]/giu, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    const guesses = [user_code, sha256Hex(device_code), swapped, device_code.slice(1), `${device_code} `];
    for (const guess of guesses) {
      expect(await poll(guess)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }
    expect(await poll(device_code)).toMatchObject(isWaiting);
  });
});

describe("nothing is approved", () => {
  it("by a visitor who is not signed in, by a key, or by a session that has ended", async () => {
    const { user_code, device_code } = await begin();
    const { who: own, token } = await signedIn(service);
    const { key } = await service.newKey(token);
    const json = { user_code, decision: "approve" };
    const cookies = new Map(own.cookies);
    await own.call("POST", "/api/auth/logout");
    for (const [name, value] of cookies) own.cookies.set(name, value);
    for (const path of ["lookup", "decide"]) {
      for (const who of [browser(service), own]) {
        expect((await who.change("POST", `/api/auth/device/${path}`, { json })).status).toBe(401);
      }
      expect((await post(path, json, { authorization: `Bearer ${key}` })).status).toBe(401);
    }
    expect(await poll(device_code)).toMatchObject(isWaiting);
    // As a device code or a refresh token, a key is an unknown one.
    expect((await poll(key)).body.error).toBe("invalid_grant");
    expect((await post("refresh", { refresh_token: key })).status).toBe(401);
  });

  it("by a visitor's cookies from a page of another origin, which cannot begin or finish a sign-in either", async () => {
    const { who: own } = await signedIn(service);
    const csrf = await own.call<{ csrf_token: string }>("GET", "/api/auth/csrf");
    const token = { "x-csrf-token": csrf.body.csrf_token };
    const { user_code, device_code } = await begin();
    const json = { user_code, decision: "approve" };
    const [evil, opaque] = [{ origin: "https://evil.example" }, { origin: "null" }];
    for (const headers of [{}, { ...token, ...evil }, { ...token, ...opaque }]) {
      const forged = await own.call("POST", "/api/auth/device/decide", { json, headers });
      expect(forged).toMatchObject({ status: 403, body: { detail: expect.stringContaining("CSRF") } });
    }
    expect((await post("code", { client_name: "x" }, evil)).status).toBe(403);
    expect((await post("token", { device_code }, evil)).status).toBe(403);
    expect((await post("refresh", { refresh_token: "x" }, evil)).status).toBe(403);
    expect(await poll(device_code)).toMatchObject(isWaiting);
  });
});

it("another grant type is refused, and its code stays", async () => {
  const { device_code } = await begin();
  const refused = await post("token", { grant_type: "password", device_code });
  expect(refused).toMatchObject({ status: 400, body: { error: "unsupported_grant_type" } });
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code, client_id: "any" };
  expect(await service.call("POST", "/api/auth/device/token", { form })).toMatchObject(isWaiting);
});

it.each([
  "cli\nApproved",
  "\u001B[2Jcli",
  "cli \u202Eresu",
  "c\u200Bli",
  "cli\u2028x",
  "   ",
  "x".repeat(101),
])("a program's name holds nothing that would make another text of the question: %j", async (client_name) => {
  expect((await post("code", { client_name })).status).toBe(422);
});

it("the addresses are the service's own, whatever host or target the request names", async () => {
  const uri = "https://evil.example";
  const json = { client_name: "x", verification_uri: uri, redirect_uri: uri };
  const { body } = await post<api.DeviceSignIn>(`code?next=${uri}`, json, {
    "x-forwarded-host": "evil.example",
  });
  expect(body.verification_uri).toBe(`${service.url}/device`);
  expect(body.verification_uri_complete).toBe(`${service.url}/device#code=${body.user_code}`);
  const page = await service.call("GET", `/device?next=${uri}&code=BCDF-GHJK`);
  expect([page.status, page.headers.get("location")]).toEqual([200, null]);
  expect(page.text).not.toContain("evil.example");
});

it("a browser's cookie refreshes no session of a program, and its own refresh shows no token", async () => {
  const { who: own } = await signedIn(service);
  expect((await own.call("POST", "/api/auth/device/refresh", { json: {} })).status).toBe(422);
  const kept = own.cookies.get("refresh_token") ?? "";
  const { text } = await own.call("POST", "/api/auth/refresh");
  expect(text).not.toContain("refresh_token");
  expect(own.cookies.get("refresh_token")).not.toBe(kept);
});

it("no code and no token is in a cookie, in the log or in any column", async () => {
  const { device_code, user_code } = await begin();
  await decide((await service.signUp()).token, user_code);
  const first = await post<api.ProgramTokens>("token", { device_code });
  const second = await post<api.ProgramTokens>("refresh", { refresh_token: first.body.refresh_token });
  for (const { status, headers } of [first, second]) {
    expect([status, headers.getSetCookie(), headers.get("cache-control")]).toEqual([200, [], "no-store"]);
  }
  const { rows: tables } = await databaseOf(service).execute<{ name: string }>(
    sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  let written = "";
  for (const { name } of tables) {
    const all = sql`SELECT to_jsonb(t)::text AS row FROM ${sql.identifier(name)} t`;
    written += JSON.stringify((await databaseOf(service).execute(all)).rows);
  }
  const ids = [first, second].map(({ headers }) => headers.get("x-request-id") ?? "");
  const readLog = () => readFile(service.stack.logFile, "utf8");
  await expect
    .poll(async () => {
      const log = await readLog();
      return ids.filter((id) => log.includes(id));
    })
    .toEqual(ids);
  const log = await readLog();
  expect(log).toContain("/api/auth/device/token");
  expect(written).toContain(sha256Hex(device_code));
  const letters = user_code.replace("-", "");
  const { access_token, refresh_token } = first.body;
  for (const secret of [device_code, user_code, letters, sha256Hex(letters), access_token, refresh_token]) {
    expect(log).not.toContain(secret);
    expect(written).not.toContain(secret);
  }
});
