import type { api } from "@agent-workspace/client";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { codeIn } from "#test/support/telegram-channel.ts";

const service = sharedService();
const platform = new ChatPlatform(service.stack.chatPlatformUrl ?? "");

const as = <T = api.ChannelConfig>({ token }: Account, method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token, ...(json !== undefined && { json }) });

/** Secrets that were sent to the service, which its log must not hold. */
const sent: string[] = [];

function newToken(): string {
  const token = `standin:${crypto.randomUUID()}`;
  sent.push(token);
  return token;
}

const telegram = () => ({ channel_type: "telegram", credentials: { bot_token: newToken() } });

async function connected(owner: Account, wish: object = telegram()): Promise<api.ChannelConfig> {
  const { status, text, body } = await as(owner, "POST", "/api/channels", wish);
  if (status !== 200) throw new Error(`The channel was not made: ${text}`);
  const secret = new URL(body.webhook_url ?? service.url).searchParams.get("secret");
  if (secret !== null) sent.push(secret);
  return body;
}

/** The bot of a channel at the chat platform. */
async function botOf({ bot_name: name }: api.ChannelConfig): Promise<number> {
  const bots = await platform.ask<{ id: number; username: string }[]>("/bots");
  const bot = bots.find(({ username }) => username === name);
  if (!bot) throw new Error(`There is no bot ${name}`);
  return bot.id;
}

const owner = await service.signUp();

describe("a channel", () => {
  const base = "/api/channels";
  it("is made, read, listed, changed, given another secret and deleted", async () => {
    const person = await service.signUp();
    const { id: projectId } = await service.newProject(person.token);
    const wish = { ...telegram(), name: " Support ", project_id: projectId, inbound_mode: "webhook" };
    const made = await as(person, "POST", base, wish);
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
        inbound_mode: "webhook",
        bot_name: expect.stringMatching(/^standin\d+_bot$/u),
        connected: true,
      },
    });
    expect((await as(person, "GET", `${base}/${id}`)).body).toEqual(made.body);

    const change = { name: "Sales", group_mode: "all", has_reactions: false, project_id: "" };
    const changed = await as(person, "PATCH", `${base}/${id}`, { ...change, credentials: null });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: "Sales", group_mode: "all", reactions: false, project_id: null },
    });
    expect(changed.body.credentials).toEqual(made.body.credentials);
    const rotated = await as(person, "POST", `${base}/${id}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 200, body: { name: "Sales" } });

    const other = await as(person, "POST", base, { channel_type: "cli" });
    expect(other).toMatchObject({
      status: 200,
      body: { name: "My Command line", webhook_url: null, credentials: {} },
    });
    expect(await as(person, "DELETE", `${base}/${id}`)).toMatchObject({
      status: 200,
      body: { status: "deactivated", config_id: id },
    });
    const { body: listed } = await as<api.ChannelConfig[]>(person, "GET", base);
    expect(listed.map((each) => [each.id, each.is_active])).toEqual([
      [other.body.id, true],
      [id, false],
    ]);
  });
});

describe("a new channel", () => {
  it("names its platform in any of four fields", async () => {
    for (const field of ["channel_type", "platform", "type", "platform_type"]) {
      expect(await as(owner, "POST", "/api/channels", { [field]: "cli" })).toMatchObject({
        status: 200,
        body: { channel_type: "cli", inbound_mode: "connection" },
      });
    }
  });

  it.each([
    ["no platform", {}, /^channel_type: is required$/u],
    [
      "half of the credentials",
      { channel_type: "slack", credentials: { bot_token: "xoxb-1" } },
      /signing_secret/u,
    ],
    ["a masked value", { channel_type: "telegram", credentials: { bot_token: "123***456" } }, /is masked/u],
    ["a webhook for the command line", { channel_type: "cli", inbound_mode: "webhook" }, /^inbound_mode: /u],
  ])("is refused with %s, in a sentence", async (_, wish, detail) => {
    expect(await as(owner, "POST", "/api/channels", wish)).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(detail) },
    });
  });
});

it("the messages of a channel are listed newest first, in pages; a test message to oneself goes to the linked account, once there is one", async () => {
  const person = await service.signUp();
  const channel = await connected(person);
  const path = `/api/channels/${channel.id}`;
  const test = (jid: string) => as<{ detail: unknown }>(person, "POST", `${path}/test`, { jid });
  const messages = async (query = "") =>
    (await as<{ jid: string; content: string }[]>(person, "GET", `${path}/messages${query}`)).body;
  expect(await test("self")).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/^No Telegram account/u) },
  });
  const writer = await platform.person("Cy");
  const chat = platform.chat(await botOf(channel), writer.id, writer.id);
  await chat.say("hello");
  const code = await codeIn(chat);
  sent.push(code);
  const pair = { platform: "telegram", pairing_code: code };
  expect(await as(person, "POST", "/api/gateway/pair/verify", pair)).toMatchObject({
    status: 200,
    body: { status: "paired", platform: "telegram" },
  });
  // It is sent on its own time, and would come between the pages.
  await expect
    .poll(() => messages())
    .toContainEqual(expect.objectContaining({ content: expect.stringContaining("account is linked") }));
  for (const jid of ["self", `telegram:${writer.id}`]) {
    expect(await test(jid)).toMatchObject({
      status: 200,
      body: { status: "sent", platform_message_id: expect.any(String), detail: { success: true } },
    });
  }
  expect((await test("telegram:1")).body.detail).toMatch(/^Failed to send test message: /u);
  const whole = await messages();
  expect(whole.filter(({ content }) => content.includes("test message"))).toMatchObject([
    { jid: "telegram:1", status: "failed", error: expect.any(String), platform_message_id: null },
    { jid: `telegram:${writer.id}`, direction: "outbound", status: "delivered", task_id: null },
    { channel_config_id: channel.id, sender_name: null, created_at: expect.stringMatching(/Z$/u) },
  ]);
  expect(await messages("?limit=1")).toEqual(whole.slice(0, 1));
  expect(await messages("?limit=1&offset=1")).toEqual(whole.slice(1, 2));

  const { body: identities } = await as<{ id: string }[]>(person, "GET", "/api/gateway/identities");
  expect(identities).toMatchObject([
    { platform: "telegram", platform_user_id: String(writer.id), is_verified: true },
  ]);
  const unlink = () => as(person, "DELETE", `/api/gateway/identities/${identities[0]?.id}`);
  expect(await unlink()).toMatchObject({ status: 200, body: { status: "unlinked", platform: "telegram" } });
  expect((await test("self")).status).toBe(400);
  await as(person, "DELETE", path);
  const off = { status: 400, body: { detail: "Channel config is not active" } };
  expect(await test("telegram:1")).toMatchObject(off);
});

it("after all that the log holds none of the secrets", async () => {
  const log = await readFile(service.stack.logFile, "utf8");
  expect(log).toContain("/api/channels");
  expect(sent.length).toBeGreaterThan(2);
  expect(sent.filter((secret) => log.includes(secret))).toEqual([]);
});
