import { readFile } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { channelConfigs } from "#src/db/schema/index.ts";
import type { Account } from "#test/support/api-client.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";
import { databaseOf } from "#test/support/database.ts";
import { startSlack, type SlackMock } from "#test/support/platforms/slack.ts";
import { startService, type TestService } from "#test/support/service.ts";

const BASES = ["/api/channels", "/api/channels/configs"] as const;

let slack: SlackMock;
let service: TestService;
let platform: ChatPlatform;
beforeAll(async () => {
  slack = await startSlack();
  service = await startService({
    SLACK_API_BASE_URL: slack.url,
    // Nothing listens there.
    WHATSAPP_API_BASE_URL: "http://127.0.0.1:9",
  });
  platform = new ChatPlatform(service.stack.chatPlatformUrl ?? "");
});
afterAll(async () => {
  await service.close();
  await slack.close();
});

interface Channel {
  id: string;
  config_id: string;
  name: string;
  credentials: Record<string, unknown>;
  webhook_url: string | null;
  bot_name: string | null;
  last_error: string | null;
  is_active: boolean;
  updated_at: string;
}

const as = <T = Channel>({ token }: Account, method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token, ...(json !== undefined && { json }) });

/** Secrets that were sent to the service, which its log must not hold. */
const sent: string[] = [];

function newToken(): string {
  const token = `standin:${crypto.randomUUID()}`;
  sent.push(token);
  return token;
}

const telegram = () => ({ channel_type: "telegram", credentials: { bot_token: newToken() } });

async function connected(owner: Account, wish: object = telegram()): Promise<Channel> {
  const { status, text, body } = await as(owner, "POST", "/api/channels", wish);
  if (status !== 200) throw new Error(`The channel was not made: ${text}`);
  const secret = new URL(body.webhook_url ?? service.url).searchParams.get("secret");
  if (secret !== null) sent.push(secret);
  return body;
}

/** The bot of a channel at the chat platform. */
async function botOf({ bot_name: name }: Channel): Promise<number> {
  const bots = await platform.ask<{ id: number; username: string }[]>("/bots");
  const bot = bots.find(({ username }) => username === name);
  if (!bot) throw new Error(`There is no bot ${name}`);
  return bot.id;
}

/** What the service told Telegram about the webhook of a channel's bot. */
async function webhookCalls(channel: Channel) {
  const calls = await platform.calls(await botOf(channel));
  return calls.flatMap(({ method, parameters }) =>
    method.endsWith("webhook") ? [[method, parameters["url"]]] : [],
  );
}

async function auditLog(owner: Account) {
  const { body: teams } = await as<{ slug: string }[]>(owner, "GET", "/api/teams");
  const path = `/api/teams/${teams[0]?.slug}/audit-log?resource_type=channel`;
  return (await as<{ action: string; resource_id: string; details: unknown }[]>(owner, "GET", path)).body;
}

describe.each(BASES)("a channel at %s", (base) => {
  it("is made, read, listed, changed, given another secret and deleted", async () => {
    const owner = await service.signUp();
    const { id: projectId } = await service.newProject(owner.token);
    const wish = { ...telegram(), name: " Support ", project_id: projectId, inbound_mode: "webhook" };
    const made = await as(owner, "POST", base, wish);
    const { id } = made.body;
    expect(made).toMatchObject({
      status: 200,
      body: {
        config_id: id,
        channel_type: "telegram",
        platform_type: "telegram",
        name: "Support",
        project_id: projectId,
        default_agent_id: null,
        is_active: true,
        credentials: { bot_token: `sta***${wish.credentials.bot_token.slice(-3)}` },
        webhook_url: `${service.url}/api/channels/webhook/telegram/${id}`,
        is_proved: true,
        shares_links: false,
        setup: expect.arrayContaining([expect.any(String)]),
        group_mode: "mention",
        inbound_mode: "webhook",
        reactions: true,
        gateway_shard: 0,
        bot_name: expect.stringMatching(/^standin\d+_bot$/u),
        connection_state: null,
        connected: true,
        last_error: null,
        created_at: expect.stringMatching(/Z$/u),
        updated_at: expect.stringMatching(/Z$/u),
      },
    });
    expect((await as(owner, "GET", `${base}/${id}`)).body).toEqual(made.body);

    const change = {
      name: "Sales",
      group_mode: "all",
      has_reactions: false,
      credentials: null,
      project_id: "",
    };
    const changed = await as(owner, "PATCH", `${base}/${id}`, change);
    expect(changed).toMatchObject({
      status: 200,
      body: { name: "Sales", group_mode: "all", reactions: false, project_id: null },
    });
    expect(changed.body.credentials).toEqual(made.body.credentials);
    expect(Date.parse(changed.body.updated_at)).toBeGreaterThanOrEqual(Date.parse(made.body.updated_at));

    const rotated = await as(owner, "POST", `${base}/${id}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 200, body: { name: "Sales" } });

    const other = await as(owner, "POST", base, { channel_type: "cli" });
    expect(other).toMatchObject({
      status: 200,
      body: { name: "My Command line", webhook_url: null, credentials: {} },
    });
    expect(await as(owner, "DELETE", `${base}/${id}`)).toMatchObject({
      status: 200,
      body: { status: "deactivated", config_id: id },
    });
    expect(await as(owner, "DELETE", `${base}/${id}`)).toMatchObject({
      status: 400,
      body: { detail: "Channel config is already deactivated" },
    });
    const { body: listed } = await as<Channel[]>(owner, "GET", base);
    expect(listed.map((each) => [each.id, each.is_active])).toEqual([
      [other.body.id, true],
      [id, false],
    ]);
    const again = await as(owner, "PATCH", `${base}/${id}`, { is_active: true });
    expect(again).toMatchObject({ status: 200, body: { is_active: true } });
  });

  it("lists its messages, newest first, in pages", async () => {
    const owner = await service.signUp();
    const channel = await connected(owner);
    const path = `${base}/${channel.id}`;
    const person = await platform.person("Bo");
    const bot = await botOf(channel);
    await platform.chat(bot, person.id, person.id).say("/start");
    for (const _ of [1, 2]) {
      const tested = await as<unknown>(owner, "POST", `${path}/test`, { jid: `telegram:${person.id}` });
      expect(tested).toMatchObject({
        status: 200,
        body: { status: "sent", platform_message_id: expect.any(String), detail: { success: true } },
      });
    }
    expect((await as(owner, "POST", `${path}/test`, { jid: "telegram:1" })).body).toEqual({
      detail: expect.stringMatching(/^Failed to send test message: /u),
    });
    const messages = async (query = "") =>
      (await as<{ id: string; jid: string }[]>(owner, "GET", `${path}/messages${query}`)).body.filter(
        ({ jid }) => jid !== "",
      );
    const tests = (await messages()).filter((each) => JSON.stringify(each).includes("test message"));
    expect(tests).toMatchObject([
      { jid: "telegram:1", status: "failed", error: expect.any(String), platform_message_id: null },
      { jid: `telegram:${person.id}`, direction: "outbound", status: "delivered", task_id: null },
      { channel_config_id: channel.id, sender_name: null, created_at: expect.stringMatching(/Z$/u) },
    ]);
    const whole = await messages();
    expect(await messages("?limit=1")).toEqual(whole.slice(0, 1));
    expect(await messages("?limit=1&offset=1")).toEqual(whole.slice(1, 2));
    expect(await messages("?offset=1000")).toEqual([]);
    for (const query of ["?limit=0", "?limit=201", "?offset=-1", "?limit=many"]) {
      const refused = await as<{ detail: string }>(owner, "GET", `${path}/messages${query}`);
      expect([query, refused.status, typeof refused.body.detail]).toEqual([query, 422, "string"]);
    }
  });
});

describe("a new channel", () => {
  it.each(["channel_type", "platform", "type", "platform_type"])(
    "names its platform in %s",
    async (field) => {
      const owner = await service.signUp();
      expect(await as(owner, "POST", "/api/channels", { [field]: "cli" })).toMatchObject({
        status: 200,
        body: { channel_type: "cli", inbound_mode: "connection" },
      });
    },
  );

  const SLACK = { bot_token: "xoxb-1-a", signing_secret: "of slack" };

  it.each([
    ["no platform", {}, /^channel_type: is required$/u],
    ["an unknown platform", { channel_type: "irc" }, /^channel_type: /u],
    ["no credentials", { channel_type: "telegram" }, /^credentials\.bot_token: /u],
    ["credentials that are none", { channel_type: "cli", credentials: "none" }, /^credentials: /u],
    [
      "half of the credentials",
      { channel_type: "slack", credentials: { bot_token: "xoxb-1" } },
      /signing_secret/u,
    ],
    ["a masked value", { channel_type: "telegram", credentials: { bot_token: "123***456" } }, /is masked/u],
    ["an empty name", { channel_type: "cli", name: " " }, /^name: /u],
    ["a long name", { channel_type: "cli", name: "x".repeat(101) }, /^name: /u],
    ["a project that is no id", { channel_type: "cli", project_id: "app" }, /^project_id: /u],
    ["an unknown mode of groups", { channel_type: "cli", group_mode: "some" }, /^group_mode: /u],
    ["a webhook for the command line", { channel_type: "cli", inbound_mode: "webhook" }, /^inbound_mode: /u],
    [
      "a connection to Slack without its token",
      { channel_type: "slack", credentials: { ...SLACK, signing_secret: "s" }, inbound_mode: "connection" },
      /^inbound_mode: .*app_token/u,
    ],
  ])("is refused with %s, in a sentence", async (_, wish, detail) => {
    const owner = await service.signUp();
    expect(await as(owner, "POST", "/api/channels", wish)).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(detail) },
    });
    expect((await as<unknown[]>(owner, "GET", "/api/channels")).body).toEqual([]);
  });

  it("is refused in the platform's words for a token that the platform does not know", async () => {
    const owner = await service.signUp();
    const credentials = { bot_token: "xoxb-not-a-known-token", signing_secret: "not-a-known-signing-secret" };
    sent.push(...Object.values(credentials));
    const refused = await as<{ detail: string }>(owner, "POST", "/api/channels", {
      type: "slack",
      credentials,
    });
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringMatching(/^Slack .*\.$/u)]);
    expect(refused.text).not.toContain("known-token");
    expect((await as<unknown[]>(owner, "GET", "/api/channels")).body).toEqual([]);
    const made = await connected(owner, { type: "slack", credentials: slack.credentials });
    expect(made).toMatchObject({
      bot_name: expect.any(String),
      inbound_mode: "connection",
      last_error: null,
    });
    sent.push(...Object.values(slack.credentials));
    const change = { credentials: { bot_token: credentials.bot_token } };
    expect((await as(owner, "PATCH", `/api/channels/${made.id}`, change)).status).toBe(400);
    const { body: kept } = await as(owner, "GET", `/api/channels/${made.id}`);
    expect(kept.credentials).toEqual(made.credentials);
  });

  it("is stored while its platform does not respond", async () => {
    const owner = await service.signUp();
    const credentials = {
      access_token: "an-access-token-of-whatsapp",
      phone_number_id: "1234567890",
      verify_token: "a-verify-token-of-whatsapp",
      app_secret: "an-app-secret-of-whatsapp",
    };
    sent.push(credentials.access_token, credentials.verify_token, credentials.app_secret);
    const made = await connected(owner, { type: "whatsapp", credentials });
    expect(made).toMatchObject({
      inbound_mode: "webhook",
      bot_name: null,
      connected: false,
      last_error: expect.stringMatching(/^WhatsApp /u),
      credentials: { access_token: "an-***app", phone_number_id: "123***" },
    });
  });
});

describe("a change of credentials", () => {
  it("keeps what it does not name, and refuses what was masked", async () => {
    const owner = await service.signUp();
    const pool_tokens = ["a-token-of-the-pool-1", "a-token-of-the-pool-2"];
    sent.push(...pool_tokens);
    const wish = { type: "telegram", credentials: { bot_token: newToken(), pool_tokens } };
    const { id, credentials, bot_name } = await connected(owner, wish);
    expect(credentials["pool_tokens"]).toEqual(["a-t***l-1", "a-t***l-2"]);
    const path = `/api/channels/${id}`;
    expect(await as(owner, "PATCH", path, { credentials })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("is masked") },
    });
    const token = newToken();
    const changed = await as(owner, "PATCH", path, { credentials: { bot_token: token } });
    expect(changed.body.credentials).toEqual({
      bot_token: `sta***${token.slice(-3)}`,
      pool_tokens: credentials["pool_tokens"],
    });
    expect(changed.body.bot_name).not.toBe(bot_name);
  });

  it("moves Telegram's webhook, which ends with the channel", async () => {
    const owner = await service.signUp();
    const made = await connected(owner, { ...telegram(), inbound_mode: "webhook" });
    expect(await webhookCalls(made)).toEqual([["setwebhook", made.webhook_url]]);
    const path = `/api/channels/${made.id}`;
    const { body: rotated } = await as(owner, "POST", `${path}/rotate-secret`);
    const { body: moved } = await as(owner, "PATCH", path, { credentials: { bot_token: newToken() } });
    expect(await webhookCalls(made)).toEqual([
      ["setwebhook", made.webhook_url],
      ["setwebhook", rotated.webhook_url],
      ["deletewebhook", undefined],
    ]);
    await as(owner, "DELETE", path);
    expect(await webhookCalls(moved)).toEqual([
      ["setwebhook", rotated.webhook_url],
      ["deletewebhook", undefined],
    ]);
  });
});

describe("a test message", () => {
  it("to oneself goes to the linked account, once there is one", async () => {
    const owner = await service.signUp();
    const channel = await connected(owner);
    const test = () =>
      as<{ detail: unknown }>(owner, "POST", `/api/channels/${channel.id}/test`, { jid: "self" });
    expect(await test()).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^No Telegram account/u) },
    });
    const person = await platform.person("Cy");
    const chat = platform.chat(await botOf(channel), person.id, person.id);
    await chat.say("hello");
    const code = await chat.until(({ messages }) =>
      messages.map((each) => /\b[A-HJ-NP-Z2-9]{8}\b/u.exec(JSON.stringify(each))?.[0]).find(Boolean),
    );
    sent.push(code);
    const pair = { platform: "telegram", pairing_code: code };
    expect(await as(owner, "POST", "/api/gateway/pair/verify", pair)).toMatchObject({
      status: 200,
      body: { status: "paired", platform: "telegram" },
    });
    expect(await test()).toMatchObject({ status: 200, body: { status: "sent" } });
    await chat.until(({ messages }) =>
      messages.find((each) => JSON.stringify(each).includes("test message")),
    );
    const { body: identities } = await as<{ id: string }[]>(owner, "GET", "/api/gateway/identities");
    expect(identities).toMatchObject([
      { platform: "telegram", platform_user_id: String(person.id), is_verified: true },
    ]);
    const unlink = () => as(owner, "DELETE", `/api/gateway/identities/${identities[0]?.id}`);
    expect(await unlink()).toMatchObject({ status: 200, body: { status: "unlinked", platform: "telegram" } });
    expect(await unlink()).toMatchObject({ status: 404, body: { detail: "Identity not found" } });
    expect((await test()).status).toBe(400);
  });

  it("says why it is not sent", async () => {
    const owner = await service.signUp();
    const channel = await connected(owner);
    const test = (jid: string) => as(owner, "POST", `/api/channels/${channel.id}/test`, { jid });
    expect((await test("slack:C1")).status).toBe(400);
    expect((await as(owner, "POST", `/api/channels/${channel.id}/test`, {})).status).toBe(422);
    const db = databaseOf(service);
    const row = eq(channelConfigs.id, channel.id);
    await db.update(channelConfigs).set({ encryptedCredentials: "gAAAAA" }).where(row);
    expect(await test("telegram:1")).toMatchObject({
      status: 500,
      body: { detail: "Internal configuration error" },
    });
    expect(await as(owner, "GET", `/api/channels/${channel.id}`)).toMatchObject({
      status: 200,
      body: { credentials: {}, webhook_url: null },
    });
    await as(owner, "DELETE", `/api/channels/${channel.id}`);
    expect(await test("telegram:1")).toMatchObject({
      status: 400,
      body: { detail: "Channel config is not active" },
    });
  });
});

it("the audit log of the owner's team names each change, and no value", async () => {
  const owner = await service.signUp();
  const { id } = await connected(owner);
  const path = `/api/channels/${id}`;
  const change = { name: "Other", group_mode: "off", credentials: { bot_token: newToken() } };
  await as(owner, "PATCH", path, change);
  await as(owner, "POST", `${path}/rotate-secret`);
  await as(owner, "DELETE", path);
  const entries = await auditLog(owner);
  expect(entries.map(({ action, details }) => [action, details])).toEqual([
    ["channel.deleted", { fields: ["is_active"] }],
    ["channel.secret_rotated", { fields: ["webhook_secret"] }],
    ["channel.updated", { fields: ["name", "group_mode", "credentials"] }],
    ["channel.created", { channel_type: "telegram", name: "My Telegram" }],
  ]);
  expect(entries.every((entry) => entry.resource_id === id)).toBe(true);
});

it("after all that the log holds none of the secrets", async () => {
  const log = await readFile(service.stack.logFile, "utf8");
  expect(log).toContain("/api/channels");
  expect(sent.length).toBeGreaterThan(10);
  expect(sent.filter((secret) => log.includes(secret))).toEqual([]);
});
