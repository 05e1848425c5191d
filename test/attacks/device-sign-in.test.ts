import { readFile } from "node:fs/promises";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deviceSignIns } from "#src/db/schema/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { Account } from "#test/support/api-client.ts";
import { browser } from "#test/support/browser.ts";
import { databaseOf } from "#test/support/database.ts";
import { startService, type TestService } from "#test/support/service.ts";

// One trusted proxy, so that requests can come from several addresses.
let service: TestService;
beforeAll(async () => {
  service = await startService({ TRUSTED_PROXY_HOPS: "1", AUTH_ATTEMPTS_PER_ACCOUNT: "10" });
});
afterAll(() => service.close());

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";

interface Begun {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
}

interface Tokens {
  access_token: string;
  refresh_token: string | null;
  error?: string;
}

let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `10.${addresses >> 8}.${addresses & 255}.1`;
};
const from = (address: string) => ({ "x-forwarded-for": address });

async function begin(name = "workspace CLI on laptop"): Promise<Begun> {
  const { status, body } = await service.call<Begun>("POST", "/api/auth/device/code", {
    json: { client_name: name },
    headers: from(newAddress()),
  });
  expect(status).toBe(200);
  return body;
}

const poll = (device_code: string) =>
  service.call<Tokens>("POST", "/api/auth/device/token", {
    json: { grant_type: GRANT_TYPE, device_code },
    headers: from(newAddress()),
  });

const refresh = (refresh_token: string | null) =>
  service.call<Tokens>("POST", "/api/auth/device/refresh", {
    json: { refresh_token },
    headers: from(newAddress()),
  });

const lookUp = (token: string, user_code: string, address = newAddress()) =>
  service.call("POST", "/api/auth/device/lookup", { token, json: { user_code }, headers: from(address) });

const decide = (token: string, user_code: string, decision = "approve", address = newAddress()) =>
  service.call("POST", "/api/auth/device/decide", {
    token,
    json: { user_code, decision },
    headers: from(address),
  });

/** A program that a person has signed in. */
async function signedIn(person: Account) {
  const begun = await begin();
  expect((await decide(person.token, begun.user_code)).status).toBe(204);
  const { status, headers, body } = await poll(begun.device_code);
  expect([status, headers.getSetCookie(), headers.get("cache-control")]).toEqual([200, [], "no-store"]);
  return { ...begun, ...body };
}

/** As if so many seconds had passed for the sign-in. */
const age = (device_code: string, seconds: number) =>
  databaseOf(service)
    .update(deviceSignIns)
    .set({
      expiresAt: sql`${deviceSignIns.expiresAt} - make_interval(secs => ${seconds})`,
      polledAt: sql`${deviceSignIns.polledAt} - make_interval(secs => ${seconds})`,
    })
    .where(eq(deviceSignIns.deviceCodeHash, sha256Hex(device_code)));

const isWaiting = { status: 400, body: { error: "authorization_pending", detail: expect.any(String) } };

describe("guessing", () => {
  it("user codes ends after five wrong ones of a person, from however many addresses", async () => {
    const { token } = await service.signUp("attacker");
    const { user_code, device_code } = await begin();
    for (let guess = 1; guess <= 5; guess += 1) {
      const path = guess % 2 === 0 ? lookUp : decide;
      expect((await path(token, "BCDF-GHJK")).status).toBe(404);
    }
    const refused = await decide(token, user_code);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await poll(device_code)).toMatchObject(isWaiting);
  });

  it("a user code by a pattern finds nothing", async () => {
    await begin();
    const { token } = await service.signUp("attacker");
    for (const user_code of ["", "*", "____-____", "B".repeat(50), "' OR 1=1 --"]) {
      expect([404, 422]).toContain((await decide(token, user_code)).status);
    }
  });

  it("a device code finds nothing: neither the user code, nor a hash, nor another case", async () => {
    const { device_code, user_code } = await begin();
    const swapped = device_code.replaceAll(/[a-z]/giu, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    for (const guess of [
      user_code,
      sha256Hex(device_code),
      swapped,
      device_code.slice(1),
      `${device_code} `,
    ]) {
      expect(await poll(guess)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }
    expect(await poll(device_code)).toMatchObject(isWaiting);
  });
});

describe("a used code", () => {
  it("gives no second session, to the program or to another that saw it", async () => {
    const { device_code, access_token } = await signedIn(await service.signUp());
    await age(device_code, 60);
    const replays = await Promise.all(Array.from({ length: 4 }, () => poll(device_code)));
    for (const replay of replays) {
      expect(replay).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }
    const own = await service.call<unknown[]>("GET", "/api/auth/sessions", { token: access_token });
    expect(own.body).toHaveLength(2);
  });

  it("cannot be approved again, and leads to no other account", async () => {
    const { user_code, access_token } = await signedIn(await service.signUp("victim"));
    const other = await service.signUp("attacker");
    expect((await decide(other.token, user_code)).status).toBe(409);
    expect((await lookUp(other.token, user_code)).status).toBe(409);
    const me = await service.call<{ username: string }>("GET", "/api/users/me", { token: access_token });
    expect(me.body.username).toMatch(/^victim/u);
  });
});

describe("another browser", () => {
  it("that has the address with the code gets nothing without signing in", async () => {
    const { user_code, device_code } = await begin();
    const visitor = browser(service);
    for (const path of ["/api/auth/device/lookup", "/api/auth/device/decide"]) {
      const { status } = await visitor.change("POST", path, { json: { user_code, decision: "approve" } });
      expect(status).toBe(401);
    }
    expect(await poll(device_code)).toMatchObject(isWaiting);
  });

  it("whose session has ended approves nothing, and what it approved before is void", async () => {
    const { email, password } = await service.signUp();
    const own = browser(service);
    await own.call("POST", "/api/auth/login", { json: { email, password } });
    const [kept, refused] = [await begin(), await begin()];
    const approve = (user_code: string) =>
      own.change("POST", "/api/auth/device/decide", { json: { user_code, decision: "approve" } });
    expect((await approve(kept.user_code)).status).toBe(204);
    const cookies = new Map(own.cookies);
    await own.call("POST", "/api/auth/logout");
    for (const [name, value] of cookies) own.cookies.set(name, value);
    expect((await approve(refused.user_code)).status).toBe(401);
    expect(await poll(kept.device_code)).toMatchObject({ status: 400, body: { error: "access_denied" } });
  });
});

describe("a page of another origin", () => {
  it("approves nothing by a visitor's cookies", async () => {
    const { email, password } = await service.signUp("victim");
    const own = browser(service);
    await own.call("POST", "/api/auth/login", { json: { email, password } });
    const csrf = await own.call<{ csrf_token: string }>("GET", "/api/auth/csrf");
    const token = { "x-csrf-token": csrf.body.csrf_token };
    const { user_code, device_code } = await begin();
    const json = { user_code, decision: "approve" };
    for (const headers of [{}, { ...token, origin: "https://evil.example" }, { ...token, origin: "null" }]) {
      const forged = await own.call("POST", "/api/auth/device/decide", { json, headers });
      expect(forged).toMatchObject({ status: 403, body: { detail: expect.stringContaining("CSRF") } });
    }
    expect(await poll(device_code)).toMatchObject(isWaiting);
  });

  it("cannot frame the page, and gets no referrer of it", async () => {
    const { headers } = await service.call("GET", "/device");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("neither begins nor finishes a sign-in", async () => {
    const headers = { origin: "https://evil.example" };
    const { device_code } = await begin();
    for (const [path, json] of [
      ["code", { client_name: "x" }],
      ["token", { device_code }],
      ["refresh", { refresh_token: "x" }],
    ] as const) {
      const { status } = await service.call("POST", `/api/auth/device/${path}`, { json, headers });
      expect(status).toBe(403);
    }
  });
});

it("a key does none of it", async () => {
  const { token } = await service.signUp();
  const { key } = await service.newKey(token);
  const { user_code, device_code } = await begin();
  expect((await lookUp(key, user_code)).status).toBe(401);
  expect((await decide(key, user_code)).status).toBe(401);
  expect(await poll(device_code)).toMatchObject(isWaiting);
  // As a device code or a refresh token, a key is an unknown one.
  expect((await poll(key)).body.error).toBe("invalid_grant");
  expect((await refresh(key)).status).toBe(401);
});

it("the program is told in the words of OAuth to slow down, that it was denied, and that it is too late", async () => {
  const { token } = await service.signUp();
  const [denied, late] = [await begin(), await begin()];
  expect(await poll(denied.device_code)).toMatchObject(isWaiting);
  expect(await poll(denied.device_code)).toMatchObject({ status: 400, body: { error: "slow_down" } });
  expect((await decide(token, denied.user_code, "deny")).status).toBe(204);
  await age(denied.device_code, 60);
  expect(await poll(denied.device_code)).toMatchObject({ status: 400, body: { error: "access_denied" } });
  await age(late.device_code, 600);
  expect((await lookUp(token, late.user_code)).status).toBe(410);
  expect((await decide(token, late.user_code)).status).toBe(410);
  expect(await poll(late.device_code)).toMatchObject({ status: 400, body: { error: "expired_token" } });
});

it("another grant type is refused, and its code stays", async () => {
  const { device_code } = await begin();
  const json = { grant_type: "password", device_code };
  const refused = await service.call("POST", "/api/auth/device/token", { json });
  expect(refused).toMatchObject({ status: 400, body: { error: "unsupported_grant_type" } });
  const form = { grant_type: GRANT_TYPE, device_code, client_id: "any" };
  expect(await service.call("POST", "/api/auth/device/token", { form })).toMatchObject(isWaiting);
});

it("a program's name holds nothing that would make another text of the question", async () => {
  const names = [
    "cli\nApproved",
    "\u001B[2Jcli",
    "cli \u202Eresu",
    "c\u200Bli",
    "cli\u2028x",
    "   ",
    "x".repeat(101),
  ];
  for (const client_name of names) {
    const json = { client_name };
    const headers = from(newAddress());
    const { status } = await service.call("POST", "/api/auth/device/code", { json, headers });
    expect([client_name, status]).toEqual([client_name, 422]);
  }
});

it("the addresses are the service's own, whatever host or target the request names", async () => {
  const { body } = await service.call<Begun>("POST", "/api/auth/device/code?next=https://evil.example", {
    json: {
      client_name: "x",
      verification_uri: "https://evil.example",
      redirect_uri: "https://evil.example",
    },
    headers: { ...from(newAddress()), "x-forwarded-host": "evil.example" },
  });
  expect(body.verification_uri).toBe(`${service.url}/device`);
  expect(body.verification_uri_complete).toBe(`${service.url}/device#code=${body.user_code}`);
  const page = await service.call("GET", "/device?next=https://evil.example&code=BCDF-GHJK");
  expect([page.status, page.headers.get("location")]).toEqual([200, null]);
  expect(page.text).not.toContain("evil.example");
});

describe("the session of a program", () => {
  it("is refreshed by the body, once per token; a second use ends it", async () => {
    const person = await service.signUp();
    const first = await signedIn(person);
    const second = await refresh(first.refresh_token);
    expect([second.status, second.headers.getSetCookie()]).toEqual([200, []]);
    await databaseOf(service).execute(
      sql`UPDATE refresh_records SET used_at = used_at - interval '1 hour' WHERE used_at IS NOT NULL`,
    );
    expect((await refresh(first.refresh_token)).status).toBe(401);
    expect((await refresh(second.body.refresh_token)).status).toBe(401);
    for (const token of [first.access_token, second.body.access_token]) {
      expect((await service.call("GET", "/api/users/me", { token })).status).toBe(401);
    }
    expect((await service.call("GET", "/api/users/me", { token: person.token })).status).toBe(200);
  });

  it("is not refreshed by a browser's cookie, whose refresh never shows a refresh token", async () => {
    const { email, password } = await service.signUp();
    const own = browser(service);
    await own.call("POST", "/api/auth/login", { json: { email, password } });
    expect((await own.call("POST", "/api/auth/device/refresh", { json: {} })).status).toBe(422);
    const kept = own.cookies.get("refresh_token") ?? "";
    const { text } = await own.call("POST", "/api/auth/refresh");
    expect(text).not.toContain("refresh_token");
    expect(own.cookies.get("refresh_token")).not.toBe(kept);
  });

  it("is over when its person ends it at the service: neither token works", async () => {
    const person = await service.signUp();
    const { access_token, refresh_token } = await signedIn(person);
    const { body } = await service.call<{ id: string; client_name: string | null }[]>(
      "GET",
      "/api/auth/sessions",
      { token: person.token },
    );
    const own = body.find(({ client_name }) => client_name === "workspace CLI on laptop");
    const ended = await service.call("DELETE", `/api/auth/sessions/${own?.id}`, { token: person.token });
    expect(ended.status).toBe(204);
    expect((await refresh(refresh_token)).status).toBe(401);
    expect((await service.call("GET", "/api/users/me", { token: access_token })).status).toBe(401);
  });
});

it("no code and no token is in the log or in any column", async () => {
  const { device_code, user_code, access_token, refresh_token } = await signedIn(await service.signUp());
  await refresh(refresh_token);
  const { rows: tables } = await databaseOf(service).execute<{ name: string }>(
    sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  const written = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await databaseOf(service).execute(
        sql`SELECT to_jsonb(t)::text AS row FROM ${sql.identifier(name)} t`,
      );
      return JSON.stringify(rows);
    }),
  );
  const log = await readFile(service.stack.logFile, "utf8");
  expect(log).toContain("/api/auth/device/token");
  expect(written.join()).toContain(sha256Hex(device_code));
  const letters = user_code.replace("-", "");
  for (const secret of [device_code, user_code, letters, sha256Hex(letters), access_token, refresh_token]) {
    expect(log).not.toContain(secret);
    expect(written.join()).not.toContain(secret);
  }
});
