import { open } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { newEstate } from "./estate.ts";

const service = sharedService();
const estate = await newEstate(service);

describe("every answer", () => {
  it.each([
    ["success", "GET", "/health", 200],
    ["a refusal", "GET", "/api/users/me", 401],
    ["an unknown route", "GET", "/nowhere", 404],
    ["a failed validation", "POST", "/api/auth/login", 422],
    ["a script", "GET", "/docs/scalar.js", 200],
    ["a preflight", "OPTIONS", "/api/projects", 204],
  ])("carries a request id and may not be framed, sniffed or run: %s", async (_, method, path, status) => {
    const { headers, ...answer } = await service.call(method, path);
    expect(answer.status).toBe(status);
    expect(headers.get("x-request-id")).toMatch(/^[\w-]{16,}$/u);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  it("has a request id of its own, also that of an event stream and that to the queue", async () => {
    const path = `/api/external/agent/events/${String(estate.samples["task"])}`;
    const stream = await service.call("GET", path, { token: estate.key });
    expect(stream.status).toBe(200);
    expect(stream.headers.get("x-content-type-options")).toBe("nosniff");
    expect(stream.headers.get("cache-control")).toContain("no-");
    const queued = await service.call("POST", "/functions/resume-task");
    const answers = [stream, queued, await service.call("GET", "/health")];
    const ids = answers.map(({ headers }) => headers.get("x-request-id") ?? "");
    for (const id of ids) expect(id).toMatch(/^[\w-]{16,}$/u);
    expect(new Set(ids).size).toBe(3);
  });
});

it("a path that nothing serves is not found", async () => {
  for (const path of ["/api", "/api/projectsx", "/functions/nothing", "/docs/other.js", "/.env"]) {
    for (const method of ["GET", "POST"]) {
      expect(await service.call(method, path)).toMatchObject({ status: 404, body: { detail: "Not Found" } });
    }
  }
});

describe("a method that a path has not", () => {
  it.each([
    ["POST", "/users/me", "GET, HEAD, PATCH"],
    ["PROPFIND", "/api/projects", "GET, HEAD, POST"],
    // The methods of the list and those of one chat, whose id could be "sessions".
    ["PATCH", "/api/chat/sessions", "DELETE, GET, HEAD"],
    ["POST", "/ws/chat/x", "GET, HEAD"],
  ])("is not allowed: %s %s", async (method, path, allowed) => {
    const { token } = estate.owner;
    const { status, body, headers } = await service.call(method, path, { token });
    expect({ status, body, allow: headers.get("allow") }).toEqual({
      status: 405,
      body: { detail: "Method Not Allowed" },
      allow: allowed,
    });
  });
});

it("a trailing slash leads to the same answer without a detour, also with a body", async () => {
  for (const path of ["/users/me/", "/openapi.json/"]) {
    const [slashed, plain] = await Promise.all(
      [path, path.slice(0, -1)].map((each) => service.call("GET", each, { token: estate.owner.token })),
    );
    expect(slashed?.status).toBe(200);
    expect(slashed?.body).toEqual(plain?.body);
  }
  const { email: username, password } = estate.owner;
  const form = { username, password };
  expect((await service.call("POST", "/api/auth/login/", { form })).status).toBe(200);
});

describe("HEAD", () => {
  it.each([
    ["/docs", 200],
    ["/nowhere", 404],
  ])("answers as GET, without a body: %s", async (path, status) => {
    const response = await fetch(service.url + path, { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([status, ""]);
    expect(response.headers.get("x-request-id")).toBeTruthy();
  });
});

/** Which origins these are is proven by test/http/origin.test.ts, and what else their pages may by test/attacks/origins.test.ts. */
describe("a page of the service's own origin", () => {
  const origin = service.url;

  it("may call with credentials, and send what the API reads", async () => {
    const { headers } = await service.call("GET", "/health", { headers: { origin } });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-credentials")).toBe("true");
    const asProgram = await service.call("GET", "/health");
    expect(asProgram.headers.get("access-control-allow-origin")).toBeNull();
    // A cache must not give a page what it kept for a program.
    for (const each of [headers, asProgram.headers])
      expect(each.get("vary")?.toLowerCase()).toContain("origin");
    const asked = await service.call("OPTIONS", "/api/projects", {
      headers: { origin, "access-control-request-method": "POST" },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-methods")).toContain("PATCH");
    for (const name of ["authorization", "content-type", "idempotency-key", "last-event-id"]) {
      expect(asked.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(name);
    }
  });

  it("can read why it was refused, and which request it was", async () => {
    for (const path of ["/api/users/me", "/nowhere"]) {
      const { headers } = await service.call("GET", path, { headers: { origin } });
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("access-control-expose-headers")).toContain("X-Request-Id");
    }
  });
});

it("the reference page loads nothing from anywhere else", async () => {
  const { text, headers } = await service.call("GET", "/docs");
  expect(headers.get("content-type")).toContain("text/html");
  expect(text).not.toMatch(/(https?:)?\/\/[a-z0-9]/iu);
  const policy = headers.get("content-security-policy");
  expect(policy).not.toMatch(/https?:|\*/u);
  // What the page itself needs must be let in, or a person sees nothing.
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  const addresses = Array.from(
    text.matchAll(/(?:src|href|data-url)="([^"]*)"/gu),
    ([, address = ""]) => address,
  );
  expect(addresses).toEqual(["/openapi.json", "/docs/scalar.js"]);
  for (const address of addresses) expect((await service.call("GET", address)).status).toBe(200);
});

it("the service is healthy, and ready when its dependencies are", async () => {
  const healthy = { status: "healthy", service: "agent-workspace", redis: "connected" };
  expect(await service.call("GET", "/health")).toMatchObject({ status: 200, body: healthy });
  const ready = { status: "ready", service: "agent-workspace", database: "ok", queue: "ok", redis: "ok" };
  expect(await service.call("GET", "/ready")).toMatchObject({ status: 200, body: ready });
});

/** What the service writes into its log, which files share, from now on. */
async function logFromNow() {
  const file = await open(service.stack.logFile);
  const { size } = await file.stat();
  return {
    async lines(): Promise<string[]> {
      const bytes = Buffer.alloc((await file.stat()).size - size);
      await file.read(bytes, 0, bytes.length, size);
      // The last line may be half written.
      return bytes.toString().split("\n").slice(0, -1);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

describe("the log", () => {
  it("is JSON, a line for each request with the id that the caller got", async () => {
    await using written = await logFromNow();
    const { headers } = await service.call("GET", "/api/projects", { token: estate.owner.token });
    const requestId = headers.get("x-request-id");
    const line = await vi.waitFor(async () => {
      const parsed = (await written.lines()).map((each): Record<string, unknown> => JSON.parse(each));
      const found = parsed.find((each) => each["request_id"] === requestId);
      return found ?? Promise.reject(new Error(`No line has ${requestId}`));
    });
    expect(line).toMatchObject({
      level: "info",
      message: "request",
      method: "GET",
      path: "/api/projects",
      status: 200,
    });
    expect(line["time"]).toMatch(/Z$/u);
  });

  it("holds no secret, and neither does an error answer", async () => {
    await using written = await logFromNow();
    // Of a person whose words stand nowhere else.
    const email = `${crypto.randomUUID()}@example.com`;
    const password = `secret words ${crypto.randomUUID()}`;
    const registered = await service.call<{ access_token: string }>("POST", "/api/auth/register", {
      json: { email, password },
    });
    const token = registered.body.access_token;
    const login = await service.call<{ access_token: string }>("POST", "/api/auth/login", {
      json: { email, password },
    });
    const cookie = login.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const { id, key, webhookSecret } = await service.newKey(token);
    const secrets = {
      password,
      "another password": "a wrong secret phrase",
      "access token": token,
      "access token of a login": login.body.access_token,
      "refresh token": cookie.replace("refresh_token=", ""),
      key: estate.key,
      "revoked key": key,
      "webhook secret": webhookSecret,
      SECRET_KEY: service.stack.variables["SECRET_KEY"] ?? "",
      "queue token": service.stack.variables["QSTASH_TOKEN"] ?? "",
      "signing key": service.stack.variables["QSTASH_CURRENT_SIGNING_KEY"] ?? "",
      "database password": new URL(service.stack.variables["DATABASE_URL"] ?? "").password,
      "Redis token": service.stack.variables["REDIS_TOKEN"] ?? "",
    };
    expect(Object.entries(secrets).filter(([, secret]) => secret.length < 8)).toEqual([]);

    await service.call("DELETE", `/api/external-api-keys/${id}`, { token });
    const wrong = secrets["another password"];
    const auth = (path: string, json: object) => service.call("POST", `/api/auth/${path}`, { json });
    const answers = [
      await auth("login", { email, password: wrong }),
      await auth("login", { email: [password], password: { password } }),
      await auth("register", { email, password }),
      await service.call("POST", "/api/auth/register", {
        body: `{"password":"${password}"`,
        headers: { "content-type": "application/json" },
      }),
      await service.call("GET", "/api/projects", { token: key }),
      await service.call("GET", "/api/projects", { token: `${token}x` }),
      await service.call("GET", `/api/projects/none?token=${token}`, { token }),
      await service.call("POST", "/api/auth/refresh", { headers: { cookie: `${cookie}x` } }),
      await service.call("POST", "/api/external/agent/invoke", {
        token: estate.key,
        json: { project_id: estate.key, message: "hello" },
      }),
      await service.call("POST", "/functions/resume-task", {
        body: "{}",
        headers: { "upstash-signature": token },
      }),
    ];
    expect(answers.map(({ status }) => status).filter((status) => status < 400)).toEqual([]);
    // The line of this last request comes after those of all the others.
    const last = await service.call("GET", "/health");
    await vi.waitFor(async () =>
      expect((await written.lines()).join()).toContain(last.headers.get("x-request-id")),
    );
    const told = [
      ...(await written.lines()),
      ...answers.map(({ text, headers }) => text + JSON.stringify([...headers])),
    ].join("\n");
    expect(Object.entries(secrets).filter(([, secret]) => told.includes(secret))).toEqual([]);
  });
});
