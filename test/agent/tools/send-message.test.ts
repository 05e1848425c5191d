import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentMessages, type AgentMessage } from "#src/agent/messages.ts";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { AppError } from "#src/lib/errors.ts";
import { createSafeFetch } from "#src/platform/safe-fetch/index.ts";
import { startReceiver, type Reply } from "#test/local/support/receiver.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const call = (args: unknown, overrides: Parameters<typeof toolContext>[0] = {}) =>
  runTool(toolCall("send_message", args), toolContext(overrides));

/** What was handed on, and its result. */
async function handedOn(args: unknown) {
  const sent: AgentMessage[] = [];
  const messages = {
    async send(message: AgentMessage) {
      sent.push(message);
      return { via: "channel" as const };
    },
  };
  return { ...(await call(args, { messages })), sent };
}

describe("send_message", () => {
  it("hands channel, target and text on, and says where it went", async () => {
    const { sent, result } = await handedOn({ channel: "Slack", target: "C123", text: "Done" });
    expect(sent).toEqual([{ channel: "slack", target: "C123", text: "Done", sender: "Garden planner" }]);
    expect(result).toMatchObject({
      success: true,
      message: "Sent over slack.",
      channel: "slack",
      target: "C123",
    });
  });

  it.each([
    [
      { channel: "discord", message: "Hi" },
      { channel: "discord", target: undefined, text: "Hi" },
    ],
    [
      { channel: "platform:telegram:-100:7", text: "Hi", sender: "Bot" },
      { channel: "telegram", target: "-100:7", sender: "Bot" },
    ],
    [
      { channel: "discord", target: "", text: "Hi" },
      { channel: "discord", target: undefined },
    ],
  ])("understands %j", async (args, expected) => {
    expect((await handedOn(args)).sent).toMatchObject([expected]);
  });

  it.each(["chat", "reply", "webhook"])("points out that %s is this conversation", async (channel) => {
    const { sent, result } = await handedOn({ channel, text: "Hi" });
    expect(sent).toEqual([]);
    expect(result).toMatchObject({ success: false, suggestion: expect.stringContaining("answer") });
  });

  it("says so where no channel of that name is connected", async () => {
    const messages = agentMessages({ safeFetch: neverFetch, config: {} });
    const { success, result } = await call({ channel: "discord", text: "Hi" }, { messages });
    expect(success).toBe(false);
    expect(result["error"]).toBe('No channel of the name "discord" is connected.');
  });

  it("is for keys that may manage channels", async () => {
    const { success, result } = await call({ channel: "slack", text: "Hi" }, { scopes: ["chat.send"] });
    expect(success).toBe(false);
    expect(result["error"]).toContain("channel.manage");
  });
});

const neverFetch = () => Promise.reject(new Error("Nobody was to be called"));

describe("a message to the service's Discord webhook", () => {
  let discord: Awaited<ReturnType<typeof startReceiver>>;
  let reply: Reply = { status: 204 };
  beforeEach(async () => {
    reply = { status: 204 };
    discord = await startReceiver(() => reply);
  });
  afterEach(() => discord.close());

  const TOKEN = "a-token-that-nobody-may-see";
  const post = (args: Record<string, unknown> = {}) => {
    const config = { AGENT_DISCORD_WEBHOOK_URL: `${discord.url}/api/webhooks/1/${TOKEN}` };
    const safeFetch = createSafeFetch({ allowPrivate: false, allowedOrigins: [discord.url] });
    const messages = agentMessages({ safeFetch, config });
    return call({ channel: "discord", text: "The build is green, @everyone", ...args }, { messages });
  };

  it("is one embed that mentions no person", async () => {
    const { result } = await post();
    expect(result).toMatchObject({ success: true, channel: "discord", details: { via: "webhook" } });
    const [delivery] = discord.deliveries;
    expect(delivery).toMatchObject({
      method: "POST",
      path: `/api/webhooks/1/${TOKEN}`,
      headers: { "content-type": "application/json" },
    });
    expect(JSON.parse(delivery?.body ?? "")).toEqual({
      embeds: [
        {
          title: "Agent Notification",
          description: "The build is green, @everyone",
          color: 0x7c3aed,
          timestamp: expect.stringMatching(/^\d{4}-.*Z$/u),
          footer: { text: "Garden planner" },
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  it("says that a target makes no difference there", async () => {
    expect((await post({ target: "42" })).result["message"]).toContain("The target was not used");
  });

  it("is refused before it is sent when it is too long", async () => {
    const { result } = await post({ text: "x".repeat(4_001) });
    expect(result["error"]).toContain("4001 characters");
    expect(discord.deliveries).toEqual([]);
  });

  it.each([
    [429, "no more messages"],
    [503, "status 503"],
    [404, "refused the message (status 404)"],
    [302, "status 302"],
  ])("that is answered %i is a failure, which does not tell the address", async (status, words) => {
    reply = { status, headers: { location: "/elsewhere" } };
    const outcome = await post();
    expect(outcome.success).toBe(false);
    expect(outcome.result["error"]).toContain(words);
    expect(discord.deliveries).toHaveLength(1);
    expect(JSON.stringify(outcome) + String(outcome.cause)).not.toContain(TOKEN);
  });

  it("to an address that cannot be reached is a failure, which does not tell it either", async () => {
    const config = { AGENT_DISCORD_WEBHOOK_URL: `https://discord.test/${TOKEN}` };
    const safeFetch = () => Promise.reject(new AppError("unavailable", "no", { cause: new Error(TOKEN) }));
    const outcome = await call(
      { channel: "discord", text: "x" },
      { messages: agentMessages({ safeFetch, config }) },
    );
    expect(outcome.success).toBe(false);
    expect(outcome.cause).toBeUndefined();
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  });
});
