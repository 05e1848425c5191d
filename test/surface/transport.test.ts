import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startService, type TestService } from "#test/support/service.ts";
import { newEstate, type Estate } from "./estate.ts";

const CONSOLE = "https://console.example.com";

let service: TestService;
let estate: Estate;
beforeAll(async () => {
  service = await startService({ APP_BASE_URL: CONSOLE, APP_DOMAIN: "apps.example.com" });
  estate = await newEstate(service);
});
afterAll(() => service.close());

const detail = (text: string) => ({ body: { detail: text } });

describe("every answer", () => {
  it.each([
    ["success", "GET", "/health", 200],
    ["a refusal", "GET", "/api/users/me", 401],
    ["an unknown route", "GET", "/nowhere", 404],
    ["a wrong method", "DELETE", "/health", 405],
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

  it("has a request id of its own", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.call("GET", "/health")));
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size).toBe(5);
  });

  it("to the queue, which is no browser, has at least a request id", async () => {
    const { status, headers } = await service.call("POST", "/functions/resume-task");
    expect(status).toBe(401);
    expect(headers.get("x-request-id")).toMatch(/^[\w-]{16,}$/u);
  });

  it("with an event stream has them as well", async () => {
    const path = `/api/external/agent/events/${String(estate.samples["task"])}`;
    const { status, headers } = await service.call("GET", path, { token: estate.key });
    expect(status).toBe(200);
    expect(headers.get("x-request-id")).toMatch(/^[\w-]{16,}$/u);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toContain("no-");
  });
});

describe("a path that nothing serves", () => {
  it.each([
    "/api",
    "/nowhere",
    "/api/projectsx",
    "/functions",
    "/functions/nothing",
    "/docs/other.js",
    "/scalar.js",
    "/.env",
  ])("is not found: %s", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      expect(await service.call(method, path)).toMatchObject({ status: 404, ...detail("Not Found") });
    }
  });
});

describe("a method that a path has not", () => {
  it.each([
    ["POST", "/health", "GET, HEAD"],
    ["PUT", "/api/projects", "GET, HEAD, POST"],
    ["GET", "/api/auth/login", "POST"],
    ["POST", "/users/me", "GET, HEAD, PATCH"],
    ["PROPFIND", "/api/projects", "GET, HEAD, POST"],
    ["PATCH", "/api/external/agent/invoke", "POST"],
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

describe("a trailing slash", () => {
  it.each([
    "/health/",
    "/api/users/me/",
    "/users/me/",
    "/api/projects/",
    "/api/external-api-keys/",
    "/openapi.json/",
  ])("leads to the same answer without a detour: %s", async (path) => {
    const [slashed, plain] = await Promise.all(
      [path, path.slice(0, -1)].map((each) => service.call("GET", each, { token: estate.owner.token })),
    );
    expect(slashed?.status).toBe(200);
    expect(slashed?.body).toEqual(plain?.body);
  });

  it("is fine for requests with a body", async () => {
    const { email: username, password } = estate.owner;
    for (const path of ["/auth/jwt/login/", "/api/auth/login/"]) {
      expect(await service.call("POST", path, { form: { username, password } })).toMatchObject({
        status: 200,
      });
    }
  });
});

describe("HEAD", () => {
  it.each([
    ["/health", 200],
    ["/docs", 200],
    ["/api/users/me", 401],
    ["/nowhere", 404],
  ])("answers as GET, without a body: %s", async (path, status) => {
    const response = await fetch(service.url + path, { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([status, ""]);
    expect(response.headers.get("x-request-id")).toBeTruthy();
  });
});

const preflight = (origin: string, path = "/api/projects") =>
  service.call("OPTIONS", path, {
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,idempotency-key",
    },
  });

describe("a browser", () => {
  it.each([
    ["the console", () => CONSOLE],
    ["the service's own pages", () => service.url],
    ["the desktop app", () => "tauri://localhost"],
    ["a page in development", () => "http://localhost:5173"],
  ])("on %s may call with credentials", async (_, originOf) => {
    const origin = originOf();
    const { headers } = await service.call("GET", "/health", { headers: { origin } });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-credentials")).toBe("true");
    expect(headers.get("vary")?.toLowerCase()).toContain("origin");
    const asked = await preflight(origin);
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-origin")).toBe(origin);
    expect(asked.headers.get("access-control-allow-methods")).toContain("PATCH");
    for (const name of ["authorization", "content-type", "idempotency-key", "last-event-id"]) {
      expect(asked.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(name);
    }
  });

  it("on the console can read why it was refused, and which request it was", async () => {
    for (const path of ["/api/users/me", "/nowhere"]) {
      const { headers } = await service.call("GET", path, { headers: { origin: CONSOLE } });
      expect(headers.get("access-control-allow-origin")).toBe(CONSOLE);
      expect(headers.get("access-control-expose-headers")).toContain("X-Request-Id");
    }
  });

  it.each([
    "https://preview.apps.example.com",
    "https://apps.example.com",
    "https://evil.example",
    "https://console.example.com.evil.example",
    "https://console.example.com:8443",
    "http://console.example.com",
    "https://notconsole.example.com",
    "http://preview.localhost:5173",
    "http://localhost.evil.example",
    "null",
  ])("elsewhere may not: %s", async (origin) => {
    for (const { headers } of [
      await service.call("GET", "/health", { headers: { origin } }),
      await preflight(origin),
    ]) {
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});

describe("the reference page", () => {
  it("loads nothing from anywhere else", async () => {
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

  it("gets its script from here", async () => {
    const { headers, text } = await service.call("GET", "/docs/scalar.js");
    expect(headers.get("content-type")).toContain("javascript");
    expect(text.length).toBeGreaterThan(100_000);
  });
});

describe("the service about itself", () => {
  it("is healthy", async () => {
    const body = { status: "healthy", service: "agent-workspace", redis: "connected" };
    expect(await service.call("GET", "/health")).toMatchObject({ status: 200, body });
  });

  it("is ready when its dependencies are", async () => {
    const body = { status: "ready", service: "agent-workspace", database: "ok", queue: "ok", redis: "ok" };
    expect(await service.call("GET", "/ready")).toMatchObject({ status: 200, body });
  });
});

const ownKey = () => service.stack.variables["QSTASH_CURRENT_SIGNING_KEY"] ?? "";
const ownUrl = () => `${service.url}/functions/resume-task`;

describe("a delivery of the queue", () => {
  const body = JSON.stringify({ taskId: crypto.randomUUID() });
  function sign({
    key = ownKey(),
    url = ownUrl(),
    text = body,
    issuer = "Upstash",
    expires = "5m" as string | number,
  }) {
    return new SignJWT({ body: createHash("sha256").update(text).digest("base64url") })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(issuer)
      .setSubject(url)
      .setIssuedAt()
      .setNotBefore(0)
      .setExpirationTime(expires)
      .sign(new TextEncoder().encode(key));
  }

  const deliver = (signature: string | undefined, text = body, name = "resume-task") =>
    service.call("POST", `/functions/${name}`, {
      body: text,
      headers: {
        "content-type": "application/json",
        ...(signature !== undefined && { "upstash-signature": signature }),
      },
    });

  it("is taken when it is signed with either key", async () => {
    const keys = ["QSTASH_CURRENT_SIGNING_KEY", "QSTASH_NEXT_SIGNING_KEY"].map(
      (name) => service.stack.variables[name] ?? "",
    );
    for (const key of keys) expect((await deliver(await sign({ key }))).status).not.toBe(401);
  });

  it.each([
    ["is not signed", async () => undefined],
    ["is signed with nothing", async () => ""],
    ["is signed with garbage", async () => "a.b.c"],
    ["is signed with another key", () => sign({ key: "sig_another" })],
    ["was signed for another function", () => sign({ url: `${service.url}/functions/agent-step` })],
    ["was signed for another service", () => sign({ url: "https://other.example/functions/resume-task" })],
    ["was signed by another issuer", () => sign({ issuer: "Somebody" })],
    ["was signed long ago", () => sign({ expires: Math.floor(Date.now() / 1000) - 60 })],
    ["was signed over another body", () => sign({ text: JSON.stringify({ taskId: crypto.randomUUID() }) })],
    ["carries an access token in its stead", async () => estate.owner.token],
  ])("is refused when it %s", async (_, signatureOf) => {
    expect(await deliver(await signatureOf())).toMatchObject({
      status: 401,
      ...detail("Invalid queue signature"),
    });
  });

  it("is refused when its body was changed on the way", async () => {
    expect(await deliver(await sign({}), `${body} `)).toMatchObject({ status: 401 });
  });

  it.each(["agent-step", "deliver-callback", "stop-tasks", "resume-task", "task-finished"])(
    "needs a signature at %s",
    async (name) => {
      expect(await deliver(undefined, "{}", name)).toMatchObject({ status: 401 });
      expect(
        await deliver(await sign({ url: ownUrl().replace("resume-task", "other") }), body, name),
      ).toMatchObject({ status: 401 });
    },
  );
});

const logLines = async () => (await readFile(service.stack.logFile, "utf8")).trim().split("\n");

describe("the log", () => {
  it("is JSON, a line for each request with the id that the caller got", async () => {
    const { headers } = await service.call("GET", "/api/projects", { token: estate.owner.token });
    const requestId = headers.get("x-request-id");
    const line = await vi.waitFor(async () => {
      const parsed = (await logLines()).map((each): Record<string, unknown> => JSON.parse(each));
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
    const requests = (await logLines())
      .map((each) => JSON.parse(each))
      .filter(({ message }) => message === "request");
    expect(requests.filter((each) => typeof each.request_id !== "string")).toEqual([]);
  });

  it("holds no secret, and neither does an error answer", async () => {
    const { token, email, password } = estate.owner;
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

    const wrong = secrets["another password"];
    await service.call("DELETE", `/api/external-api-keys/${id}`, { token });
    const answers = [
      await service.call("POST", "/api/auth/login", { json: { email, password: wrong } }),
      await service.call("POST", "/api/auth/login", { json: { email: [password], password: { password } } }),
      await service.call("POST", "/api/auth/register", { json: { email, password } }),
      await service.call("POST", "/api/auth/register", {
        body: `{"password":"${password}"`,
        headers: { "content-type": "application/json" },
      }),
      await service.call("PATCH", "/api/users/me", { token, json: { password: [password] } }),
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
    await vi.waitFor(
      async () => expect((await logLines()).join()).toContain(last.headers.get("x-request-id")),
      10_000,
    );
    const written = [
      ...(await logLines()),
      ...answers.map(({ text, headers }) => text + JSON.stringify([...headers])),
    ].join("\n");
    expect(Object.keys(secrets).filter((name) => written.includes(Object(secrets)[name]))).toEqual([]);
  });
});
