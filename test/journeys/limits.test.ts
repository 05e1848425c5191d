import type { api } from "@agent-workspace/client";
import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Account, ApiAnswer } from "#test/support/api-client.ts";
import { browser } from "#test/support/browser.ts";
import { connectedChannels } from "#test/support/connected-channels.ts";
import { newChatClient } from "#test/support/chat-client.ts";
import { caughtInbox } from "#test/support/inbox.ts";
import { otherThan } from "#test/support/mailbox.ts";
import { startService } from "#test/support/service.ts";

/** Limits low enough to be reached; the rules themselves are proven in test/domain/operations/attempts. */
const PER_ACCOUNT = 5;
const PER_ADDRESS = 20;
const PER_MINUTE = 60;

const service = await startService({
  AUTH_ATTEMPTS_PER_ACCOUNT: String(PER_ACCOUNT),
  AUTH_ATTEMPTS_PER_ADDRESS: String(PER_ADDRESS),
  USER_RATE_PER_MINUTE: String(PER_MINUTE),
  CHAT_RATE_PER_MINUTE: "4",
  KEY_RATE_BURST: "15",
  KEY_RATE_PER_SECOND: "0.001",
  MAIL_SENDS_PER_ACCOUNT: "2",
  TWO_FA_ENABLED: "true",
  TWO_FA_CODE_LENGTH: "8",
  TWO_FA_MAX_ATTEMPTS: "1",
  PAIRING_TOKEN_EXPIRY_SECONDS: "60",
  DESKTOP_SCHEME: "x-shell",
  APP_DOMAIN: "workspace.example",
  GATEWAY_ENABLED: "false",
  GITHUB_CLIENT_ID: "id",
  GITHUB_CLIENT_SECRET: "a secret of ours",
});
afterAll(() => service.close());

type Answer = ApiAnswer<unknown>;

/** How many answers had each status. */
function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const many = (count: number, ask: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
const post = <T>(path: string, json: unknown, token?: string, headers = {}) =>
  service.call<T>("POST", path, { json, token, headers });

const logIn = (username: string, password: string) =>
  post<{ temp_token: string }>("/api/auth/login", { username, password });
const enter = ({ email, password }: Account) => logIn(email, password);
const codesOf = ({ email }: Account) => caughtInbox(service, email, /login code/u);

describe("guesses of an account's secret", () => {
  it("are as many as the limit says, of 12 passwords at once; then the right one waits, and no other account", async () => {
    const [{ username, email, password }, other] = [await service.signUp(), await service.signUp()];
    const answers = await many(12, (index) => logIn(index % 2 ? username : email, "wrong horse"));
    expect(tally(answers)).toEqual({ 400: PER_ACCOUNT, 429: 12 - PER_ACCOUNT });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ detail: expect.stringMatching(/^Too many attempts/u) });
    const header = (name: string) => Number(refused?.headers.get(name));
    expect([header("x-ratelimit-limit"), header("x-ratelimit-remaining")]).toEqual([PER_ACCOUNT, 0]);
    expect(header("retry-after")).toBeGreaterThan(0);
    expect(header("retry-after")).toBeLessThanOrEqual(900);
    expect(header("x-ratelimit-reset")).toBeGreaterThanOrEqual(header("retry-after"));
    expect((await logIn(username, password)).status).toBe(429);
    expect((await logIn(other.username, other.password)).status).toBe(200);
  });

  it("of a login's code are as many as the installation says, and the code as long", async () => {
    const account = await service.signUp();
    const { body } = await logIn(account.email, account.password);
    const code = await codesOf(account).code();
    expect(code).toMatch(/^\d{8}$/u);
    const verify = (guess: string) =>
      post("/api/auth/2fa/verify", { temp_token: body.temp_token, code: guess });
    expect(await verify(otherThan(code))).toMatchObject({
      status: 401,
      body: { detail: "Invalid or expired code" },
    });
    expect(await verify(code)).toMatchObject({
      status: 401,
      body: { detail: "Invalid or expired verification session" },
    });
  });
});

it("guesses of one address are counted whatever it says of where it comes from, for each kind of secret on its own", async () => {
  const account = await service.signUp();
  const link = await post<api.CreatePairingLinkAnswer>("/api/desktop/pair", {}, account.token);
  expect(link.body.deep_link).toBe(`x-shell://pair?token=${link.body.pairing_token}`);
  expect(Date.parse(link.body.expires_at)).toBeLessThanOrEqual(Date.now() + 60_000);
  // A right one is not counted, and neither it nor its key comes into the log.
  const paired = await post<{ token: string }>("/api/desktop/pair/exchange", {
    token: link.body.pairing_token,
  });
  expect(paired.status).toBe(200);
  const exchanges = await many(PER_ADDRESS + 5, (index) =>
    post("/api/desktop/pair/exchange", { token: "garbage", device_name: "x" }, undefined, {
      "x-forwarded-for": `198.51.100.${index}`,
      "cf-connecting-ip": `198.51.100.${index}`,
      "x-real-ip": `198.51.100.${index}`,
      forwarded: `for=198.51.100.${index}`,
    }),
  );
  expect(tally(exchanges)).toEqual({ 401: PER_ADDRESS, 429: 5 });
  const reset = await post("/api/auth/reset-password", { token: "garbage", password: "long enough" });
  expect(reset.status).toBe(400);
  const log = await vi.waitUntil(async () => {
    const written = await readFile(service.stack.logFile, "utf8");
    return written.includes("/api/auth/reset-password") && written;
  });
  for (const secret of [link.body.pairing_token, paired.body.token]) expect(log).not.toContain(secret);
});

it("mails to one account end at their limit, and what strangers ask for uses up no login codes", async () => {
  const [account, other] = [await service.signUp(), await service.signUp()];
  const answers = [await enter(account), await enter(account), await enter(account)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0);
  const more = await post("/api/auth/2fa/send", { temp_token: answers[0]?.body.temp_token });
  expect(more.status).toBe(429);
  // Alike for addresses with and without an account.
  for (const email of [other.email, `${crypto.randomUUID()}@example.com`]) {
    const asked = await Promise.all(
      [email, email.toUpperCase(), email].map((each) => post("/api/auth/forgot-password", { email: each })),
    );
    expect(tally(asked)).toEqual({ 202: 2, 429: 1 });
  }
  expect((await enter(other)).status).toBe(200);
});

it("a person moves chats 30 times a minute", async () => {
  const client = await newChatClient(service);
  const { projectId: project_id } = client;
  const { body } = await client.call<{ id: string }>("POST", "/api/chat/", { project_id });
  const moves = await many(32, () => client.call("PATCH", `/api/chat/${body.id}/project`, { project_id }));
  expect(tally(moves)).toEqual({ 200: 30, 429: 2 });
});

const numbers = (headers: Headers) =>
  ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"].map((name) => {
    const value = headers.get(name);
    return value === null ? undefined : Number(value);
  });

it("a key may call in a burst and then has to wait, which does not touch its owner's other keys", async () => {
  const { token } = await service.signUp();
  const [one, other] = [await service.newKey(token), await service.newKey(token)];
  const list = (key: string) => service.call("GET", "/api/projects", { token: key });
  const answers = await many(20, () => list(one.key));
  expect(tally(answers)).toEqual({ 200: 15, 429: 5 });
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body).toEqual({ detail: "Rate limit exceeded" });
  const [limit, remaining, reset, retryAfter = 0] = numbers(refused?.headers ?? new Headers());
  expect([limit, remaining]).toEqual([15, 0]);
  expect(reset).toBeGreaterThanOrEqual(retryAfter);
  expect(retryAfter).toBeGreaterThan(0);
  expect(numbers((await list(other.key)).headers)).toEqual([15, 14, 1000, undefined]);
});

it("a batch of MCP messages counts as each of them", async () => {
  const { token } = await service.signUp();
  const { key } = await service.newKey(token);
  const send = (messages: number) =>
    post(
      "/mcp",
      Array.from({ length: messages }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/list" })),
      key,
    );
  expect((await send(10)).status).toBe(200);
  const refused = await send(6);
  expect(refused).toMatchObject({ status: 429, body: { detail: "Rate limit exceeded" } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

it("registrations of MCP clients are so many in a minute from one network", async () => {
  const json = { client_name: "x", redirect_uris: ["http://localhost/"] };
  const answers = await many(25, () => post("/oauth/register", json));
  expect(tally(answers)).toEqual({ 201: 20, 429: 5 });
  expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({ error: expect.any(String) });
});

it("a person has a limit for a minute over all routes and sessions", async () => {
  const account = await service.signUp();
  const { body } = await logIn(account.email, account.password);
  const own = browser(service);
  const json = { temp_token: body.temp_token, code: await codesOf(account).code() };
  expect((await own.call("POST", "/api/auth/2fa/verify", { json })).status).toBe(200);
  const answers = await many(PER_MINUTE + 10, (index) => {
    const path = index % 2 === 0 ? "/api/projects" : "/users/me";
    return index % 3 === 0 ? own.call("GET", path) : service.call("GET", path, { token: account.token });
  });
  expect(tally(answers)).toEqual({ 200: PER_MINUTE, 429: 10 });
  const refused = answers.find(({ status }) => status === 429);
  const [limit, remaining, , retryAfter] = numbers(refused?.headers ?? new Headers());
  expect([limit, remaining]).toEqual([PER_MINUTE, 0]);
  expect(retryAfter).toBeLessThanOrEqual(60);
});

it("what an installation has is told without signing in, and nothing secret with it", async () => {
  const flags = await service.call("GET", "/api/feature-flags");
  expect(flags.body).toEqual({
    env: "development",
    flags: { two_fa: true, magic_link_login: false, template_builder: false, enable_landing_page: false },
    oauth: { github: true, google: false },
    // Browsers make none for an IP address.
    passkey_origin: `http://localhost:${new URL(service.url).port}`,
  });
  expect(flags.text).not.toContain("secret");
  expect((await service.call("GET", "/api/config")).body).toEqual({
    app_domain: "workspace.example",
    deployment_mode: "local",
  });
});

it("connects no channels where the gateway is switched off", async () => {
  const { token } = await service.signUp();
  const channels = connectedChannels(service, token);
  const id = await channels.add("telegram", { bot_token: `standin:${crypto.randomUUID()}` });
  expect(await channels.get(id)).toMatchObject({ connection_state: null });
  const status = await service.call("GET", "/api/gateway/status", { token });
  expect(status.body).toMatchObject({ status: "offline", adapters: 0 });
});
