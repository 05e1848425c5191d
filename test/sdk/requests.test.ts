import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as sdk from "@agent-workspace/client";
import { UnauthorizedError, Workspace, type WorkspaceOptions } from "@agent-workspace/client";
import { systemClock } from "#sdk/clock.ts";
import { ScriptedSocket } from "./live/support/scripted-sockets.ts";
import { broken, json, quickClock, scriptedFetch, text, type Step } from "./support/scripted-fetch.ts";

const BASE = "https://service.test";
const KEY = "tsk_0123456789abcdef0123456789abcdef";

/** A client whose service answers by a script. */
function scripted(steps: Step[], options: Partial<WorkspaceOptions> = {}) {
  const { fetch, sent } = scriptedFetch(...steps);
  const clock = quickClock();
  const credentials = options.accessToken || options.cookies ? {} : { apiKey: KEY };
  const workspace = new Workspace({ baseUrl: BASE, fetch, ...credentials, ...options }, clock);
  return { workspace, sent, waits: clock.waits };
}

/** The error that a call rejects with. */
async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** An answer that never comes. */
const hangs: Step = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

const refusal = () => Response.json({ detail: "No valid credentials" }, { status: 401 });

/** A proxy that repeats what it got. */
const echo: Step = ({ headers }) =>
  Response.json(
    { detail: `Denied: ${headers["authorization"]}`, code: headers["authorization"] },
    { status: 403 },
  );

/** Everything that a program might print of a value. */
function shown(value: unknown): string {
  const error = value instanceof Error ? `${String(value)}\n${value.stack}` : "";
  const options = { depth: 20, showHidden: true, getters: true };
  return [inspect(value, options), JSON.stringify(value), error].join("\n");
}

describe("a request", () => {
  it("fills the path, repeats lists in the query, and carries the key", async () => {
    const { workspace, sent } = scripted([json({ status: "ready", files: [] })]);
    await workspace.request("GET", "/api/projects/{project}/files/content", {
      path: { project: "a/b c" },
      query: { path: "x y.txt" },
    });
    await workspace.request("GET", "/api/later", { query: { tag: ["one", "two"], none: undefined } });
    expect(sent.map(({ url }) => url.href)).toEqual([
      `${BASE}/api/projects/a%2Fb%20c/files/content?path=x+y.txt`,
      `${BASE}/api/later?tag=one&tag=two`,
    ]);
    expect(sent[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
  });

  it("does not leave its path or the service", async () => {
    const { workspace, sent } = scripted([json({})]);
    for (const project of [".", "..", ""])
      expect(await errorOf(workspace.projects.get(project))).toBeInstanceOf(TypeError);
    expect(await errorOf(workspace.request("GET", ".evil.test/api"))).toBeInstanceOf(TypeError);
    expect(sent).toEqual([]);
  });

  it("sends JSON, and bytes, streams and forms as they are", async () => {
    const { workspace, sent } = scripted([json({})]);
    const form = new FormData();
    const bytes = new Uint8Array([1, 2]);
    await workspace.request("POST", "/api/later", { body: { a: 1 } });
    await workspace.request("POST", "/api/later", { body: form });
    await workspace.files.write("p", "f", bytes);
    await workspace.files.write("p", "f", "text");
    await workspace.files.write("p", "f", new Blob(["x"]).stream());
    expect(sent.map(({ body, headers }) => [body, headers["content-type"]])).toEqual([
      ['{"a":1}', "application/json"],
      [form, undefined],
      [bytes, "application/octet-stream"],
      ["text", "application/octet-stream"],
      [expect.any(ReadableStream), "application/octet-stream"],
    ]);
    expect(sent[4]?.duplex).toBe("half");
  });

  it("gives JSON, text and bytes by their content type, and nothing for a 204", async () => {
    const steps = [
      json([1]),
      text("a,b", "text/csv"),
      text("\u0001", "application/octet-stream"),
      () => new Response(null, { status: 204 }),
    ];
    const { workspace } = scripted(steps);
    const get = () => workspace.request("GET", "/api/later");
    expect([await get(), await get(), await get(), await get()]).toEqual([
      [1],
      "a,b",
      new Uint8Array([1]),
      undefined,
    ]);
  });
});

describe("a repetition", () => {
  it("follows a lost connection, a limit and a failing gateway, and ends after three", async () => {
    const steps = [
      broken,
      json({ detail: "slow down" }, 429),
      text("<h1>Bad gateway</h1>", "text/html", 502),
    ];
    const { workspace, sent, waits } = scripted([...steps, json({ id: "p" })]);
    expect(await workspace.projects.get("p")).toEqual({ id: "p" });
    expect(sent).toHaveLength(4);
    expect(waits).toEqual([500, 1000, 2000]);
    const down = scripted([json({ detail: "The database does not respond" }, 503)]);
    expect(await errorOf(down.workspace.projects.get("p"))).toBeInstanceOf(sdk.ServerError);
    expect(down.sent).toHaveLength(4);
  });

  it("waits as long as the service says, in seconds or to a date", async () => {
    vi.setSystemTime("2026-01-01T00:00:00Z");
    onTestFinished(() => void vi.useRealTimers());
    const date = new Date(Date.now() + 20_000).toUTCString();
    const { workspace, waits } = scripted([
      json({ detail: "" }, 429, { "retry-after": "7" }),
      json({ detail: "" }, 503, { "retry-after": date }),
      json({}),
    ]);
    await workspace.projects.get("p");
    expect(waits).toEqual([7_000, 20_000]);
  });

  it("does not begin a wait that the deadline would end", async () => {
    const { workspace, sent } = scripted([json({ detail: "" }, 429, { "retry-after": "3600" })]);
    const error = await errorOf(workspace.projects.get("p"));
    expect(error).toBeInstanceOf(sdk.RateLimitError);
    expect(error).toMatchObject({ retryAfterSeconds: 3600 });
    expect(sent).toHaveLength(1);
  });

  it("is made of a POST with an idempotency key that its route honours, under one key", async () => {
    const { workspace, sent } = scripted([broken, json({ task_id: "t", chat_id: "c" })]);
    const task = await workspace.tasks.invoke({ project_id: "p", message: "m" });
    expect([task.id, task.chatId]).toEqual(["t", "c"]);
    const keys = new Set(sent.map(({ headers }) => headers["idempotency-key"]));
    expect([sent.length, keys.size, keys.has(undefined)]).toEqual([2, 1, false]);
  });

  it("is not made of another POST, of a PATCH, or of a stream that was read", async () => {
    const { workspace, sent } = scripted([broken]);
    await errorOf(workspace.request("POST", "/api/teams", { body: { name: "a" } }));
    await errorOf(workspace.projects.update("p", { name: "b" }));
    await errorOf(workspace.files.write("p", "f", new Blob(["x"]).stream()));
    expect(sent).toHaveLength(3);
  });

  it.each<[string, Step]>([
    ["a page", text("<html>Welcome to the hotel's network</html>", "text/html")],
    ["JSON that is cut off", text('{"task_id":"t","chat', "application/json")],
    ["other JSON", json({ status: "ok" })],
  ])("follows %s in place of the service's answer", async (_, step) => {
    const { workspace, sent } = scripted([step, json({ task_id: "t", chat_id: "c" })]);
    const { id } = await workspace.tasks.invoke({ project_id: "p", message: "m" });
    expect([id, sent.length]).toEqual(["t", 2]);
  });
});

describe("the end of a call", () => {
  it("is its signal's", async () => {
    const { workspace } = scripted([hangs]);
    const control = new AbortController();
    const error = errorOf(workspace.projects.get("p", { signal: control.signal }));
    control.abort(new Error("enough"));
    expect(await error).toEqual(new Error("enough"));
  });

  it("is the deadline, for all attempts together", async () => {
    const { fetch } = scriptedFetch(broken, hangs);
    const workspace = new Workspace(
      { baseUrl: BASE, fetch, timeoutMs: 50 },
      // Its time stands still: the deadline is over while an answer is awaited, not before.
      { ...systemClock, now: () => 0, random: () => 0 },
    );
    const error = await errorOf(workspace.projects.get("p"));
    expect(error).toBeInstanceOf(sdk.TimeoutError);
    expect(error).toMatchObject({ code: "timeout" });
  });
});

it.each([
  [400, sdk.BadRequestError, "invalid_input"],
  [401, sdk.UnauthorizedError, "unauthenticated"],
  [402, sdk.PaymentRequiredError, "insufficient_credits"],
  [403, sdk.ForbiddenError, "forbidden"],
  [404, sdk.NotFoundError, "not_found"],
  [409, sdk.ConflictError, "conflict"],
  [410, sdk.GoneError, "gone"],
  [413, sdk.TooLargeError, "too_large"],
  [422, sdk.ValidationError, "invalid_body"],
  [429, sdk.RateLimitError, "rate_limited"],
  [500, sdk.ServerError, "internal"],
  [503, sdk.ServerError, "unavailable"],
  [418, sdk.WorkspaceError, "error"],
])("an error has a class by its status, and the service's words: %i", async (status, Class, code) => {
  const detail = "The reason";
  const { workspace } = scripted([json({ detail }, status, { "x-request-id": "r1" })], { maxRetries: 0 });
  const error = await errorOf(workspace.projects.get("p"));
  expect(error).toBeInstanceOf(Class);
  expect(error).toBeInstanceOf(sdk.WorkspaceError);
  expect(error).toMatchObject({ name: Class.name, message: detail, status, detail, code, requestId: "r1" });
  const named = scripted([json({ detail, code: "no_workspace" }, status)], { maxRetries: 0 });
  expect(await errorOf(named.workspace.projects.get("p"))).toMatchObject({ code: "no_workspace" });
});

describe("a refused token", () => {
  it("is asked for once more, for all calls that wait", async () => {
    const asked: (string | undefined)[] = [];
    const { workspace, sent } = scripted(
      [({ headers }) => (headers["authorization"] === "Bearer new" ? Response.json({}) : refusal())],
      {
        accessToken: async (refused) => {
          asked.push(refused);
          return refused === undefined ? "old" : "new";
        },
      },
    );
    await Promise.all(Array.from({ length: 10 }, () => workspace.projects.get("p")));
    expect(asked).toEqual([undefined, "old"]);
    expect(sent).toHaveLength(20);
    await workspace.projects.get("p");
    expect(sent).toHaveLength(21);
  });

  it("is refused for good when the next one is", async () => {
    let count = 0;
    const accessToken = () => `token-${(count += 1)}`;
    const { workspace, sent } = scripted([refusal], { accessToken });
    expect(await errorOf(workspace.projects.get("p"))).toBeInstanceOf(sdk.UnauthorizedError);
    expect(sent).toHaveLength(2);
  });

  it("is asked for again after its source failed", async () => {
    let count = 0;
    const accessToken = async () => {
      count += 1;
      if (count === 1) throw new Error("offline");
      return "token";
    };
    const { workspace } = scripted([json({})], { accessToken });
    expect(await errorOf(workspace.projects.get("p"))).toEqual(new Error("offline"));
    expect(await workspace.projects.get("p")).toEqual({});
  });
});

describe("cookies", () => {
  it("go along, with a CSRF token where data changes, which is asked for anew when it is refused", async () => {
    let tokens = 0;
    const { workspace, sent } = scripted(
      [
        ({ url, headers, method }) => {
          if (url.pathname === "/api/auth/csrf") return Response.json({ csrf_token: `c${(tokens += 1)}` });
          const isStale = method !== "GET" && headers["x-csrf-token"] !== "c2";
          return isStale
            ? Response.json({ detail: "CSRF token invalid or expired: fetch a new one" }, { status: 403 })
            : Response.json({});
        },
      ],
      { cookies: true },
    );
    await workspace.projects.get("p");
    await Promise.all([workspace.projects.delete("p"), workspace.projects.update("p", { name: "n" })]);
    expect(tokens).toBe(2);
    expect(sent.every(({ credentials }) => credentials === "include")).toBe(true);
    expect(sent.every(({ headers }) => headers["authorization"] === undefined)).toBe(true);
  });
});

describe("a socket by cookie that is refused", () => {
  it("is opened again once the page has asked for the account, and could renew the session", async () => {
    const { workspace, sent } = scripted([json({})], { cookies: true, WebSocket: RefusedSocket });
    const chat = workspace.chat("p");
    await expect(chat.events().next()).rejects.toBeInstanceOf(UnauthorizedError);
    expect(sent.map(({ url }) => url.pathname)).toEqual(["/api/users/me"]);
    expect(RefusedSocket.count).toBe(2);
  });
});

/** The service refuses it as it does an expired session. */
class RefusedSocket extends ScriptedSocket {
  static count = 0;

  constructor() {
    super("/", {}, false);
    RefusedSocket.count += 1;
  }

  override addEventListener(...[type, listener]: Parameters<ScriptedSocket["addEventListener"]>): void {
    super.addEventListener(type, listener);
    if (type === "close") queueMicrotask(() => this.end(4401, "auth_failed"));
  }
}

describe("secrets", () => {
  const token = "secret.access.token";

  it.each<[string, Partial<WorkspaceOptions>]>([
    ["a key", { apiKey: KEY }],
    ["a token", { accessToken: () => token }],
  ])("%s is in no error, even where a proxy repeats it, and not in the client", async (_, options) => {
    const secret = options.apiKey ?? token;
    const { workspace } = scripted([echo], options);
    const error = await errorOf(workspace.projects.get("p"));
    expect(error).toMatchObject({ detail: "Denied: Bearer [secret]" });
    expect(shown(error)).not.toContain(secret);
    expect(shown(workspace)).not.toContain(secret);
    expect(shown(workspace.tasks.get("t"))).not.toContain(secret);
    const failed = await errorOf(scripted([broken], options).workspace.projects.get("p"));
    expect(shown(failed)).not.toContain(secret);
  });

  it("that no header may have are refused without being named", async () => {
    const error = await errorOf(scripted([json({})], { apiKey: `${KEY}\n` }).workspace.projects.get("p"));
    expect(error).toBeInstanceOf(TypeError);
    expect(shown(error)).not.toContain(KEY);
  });
});

it("an address that is none or has credentials is refused, and so are two kinds of credentials", async () => {
  const addresses = ["service.test", "ftp://service.test", "https://ada:password@service.test"];
  for (const baseUrl of [...addresses, "https://service.test?key=password"]) {
    expect(() => new Workspace({ baseUrl })).toThrow(TypeError);
    expect(() => new Workspace({ baseUrl })).not.toThrow(/password@|=password/u);
  }
  expect(() => new Workspace({ baseUrl: BASE, apiKey: KEY, cookies: true })).toThrow(TypeError);
  const { fetch, sent } = scriptedFetch(json({}));
  await new Workspace({ baseUrl: `${BASE}/workspace/`, fetch }).projects.get("p");
  expect(sent[0]?.url.href).toBe(`${BASE}/workspace/api/projects/p`);
});
