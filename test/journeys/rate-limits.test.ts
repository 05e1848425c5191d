import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browser } from "#test/support/browser.ts";
import { newChatClient } from "#test/support/chat-client.ts";
import { startService, type TestService } from "#test/support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({
    USER_RATE_PER_MINUTE: "100",
    CHAT_RATE_PER_MINUTE: "20",
    KEY_RATE_BURST: "15",
    KEY_RATE_PER_SECOND: "0.1",
  });
});
afterAll(async () => {
  await service.close();
});

const list = (token: string) => service.call("GET", "/api/projects", { token });
const numbers = (headers: Headers) =>
  ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"].map((name) => {
    const value = headers.get(name);
    return value === null ? undefined : Number(value);
  });

describe("a key", () => {
  it("may call in a burst and then has to wait, which does not touch its owner's other keys", async () => {
    const { token } = await service.signUp();
    const [one, other] = [await service.newKey(token), await service.newKey(token)];
    const answers = await Promise.all(Array.from({ length: 25 }, () => list(one.key)));
    const allowed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    // A slow machine may give back a call or two while the burst runs.
    expect(allowed.length).toBeGreaterThanOrEqual(15);
    expect(allowed.length).toBeLessThanOrEqual(18);
    expect(refused.length).toBe(25 - allowed.length);
    for (const { body, headers } of refused) {
      expect(body).toEqual({ detail: "Rate limit exceeded" });
      const [limit, remaining, reset, retryAfter] = numbers(headers);
      expect([limit, remaining]).toEqual([15, 0]);
      expect(reset).toBeGreaterThanOrEqual(retryAfter ?? Number.NaN);
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      expect(retryAfter).toBeLessThanOrEqual(10);
    }
    expect((await list(other.key)).status).toBe(200);
  });

  it("gets its remaining calls with every response", async () => {
    const { token } = await service.signUp();
    const { key } = await service.newKey(token);
    const [limit, remaining, reset, retryAfter] = numbers((await list(key)).headers);
    expect([limit, remaining, reset, retryAfter]).toEqual([15, 14, 10, undefined]);
  });
});

describe("a person", () => {
  it("may move chats 30 times a minute", async () => {
    const client = await newChatClient(service);
    const { projectId: project_id } = client;
    const { body } = await client.call<{ id: string }>("POST", "/api/chat/", { project_id });
    const moves = Array.from({ length: 32 }, () =>
      client.call("PATCH", `/api/chat/${body.id}/project`, { project_id }),
    );
    const statuses = (await Promise.all(moves)).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([
      ...Array.from({ length: 30 }, () => 200),
      429,
      429,
    ]);
  });

  it("may send the agent 20 messages a minute, apart from other calls; reading is no message", async () => {
    const { token } = await service.signUp();
    const { id: project_id } = await service.newProject(token);
    const paths = ["/api/chat/stream", "/chat/stream", "/api/chat/agent", "/api/chat/agent/stream"];
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        service.call("POST", paths[index % paths.length] ?? "", {
          token,
          json: { project_id, message: "Hello" },
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect((await service.call("GET", `/api/chat/${project_id}/history`, { token })).status).toBe(200);
  });

  it("has a limit for a minute over all routes and sessions: of 200 at once exactly 100 are let in", async () => {
    const account = await service.signUp();
    const own = browser(service);
    await own.call("POST", "/api/auth/login", { json: account });
    const { token } = account;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const path = index % 2 === 0 ? "/api/projects" : "/users/me";
        return index % 3 === 0 ? own.call("GET", path) : service.call("GET", path, { token });
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(100);
    const [limit, remaining, , retryAfter] = numbers(refused[0]?.headers ?? new Headers());
    expect([limit, remaining]).toEqual([100, 0]);
    expect(retryAfter).toBeGreaterThan(30);
    expect(retryAfter).toBeLessThanOrEqual(60);
  });
});
