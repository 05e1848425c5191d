import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentMessages,
  type AgentMessage,
  type AgentOutlets,
  type SentMessage,
} from "#src/agent/messages.ts";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { AppError } from "#src/lib/errors.ts";
import { createSafeFetch } from "#src/platform/safe-fetch/index.ts";
import { startReceiver, type Reply } from "#test/local/support/receiver.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const call = (args: unknown, overrides: Parameters<typeof toolContext>[0] = {}) =>
  runTool(toolCall("send_message", args), toolContext(overrides));

const SENT: SentMessage = {
  status: "sent",
  via: "channel",
  to: "Slack",
  chatId: "D1",
  platformMessageId: "1700000000.000100",
};

/** What was handed on, and its result. */
async function handedOn(args: unknown, outcome: SentMessage = SENT) {
  const sent: AgentMessage[] = [];
  const messages = {
    async send(message: AgentMessage) {
      sent.push(message);
      return outcome;
    },
  };
  return { ...(await call(args, { messages })), sent };
}

describe("send_message", () => {
  it("hands channel, target and text on, and says where it went", async () => {
    const { sent, result } = await handedOn({ channel: "Slack", target: "C123", text: "Done" });
    expect(sent).toEqual([
      {
        channel: "slack",
        target: "C123",
        text: "Done",
        files: [],
        sender: "Garden planner",
        callId: "1:call_1",
      },
    ]);
    expect(result).toMatchObject({
      success: true,
      message: "Sent over slack.",
      channel: "slack",
      target: "C123",
      notification: "sent",
      details: { via: "channel", platform_message_id: "1700000000.000100" },
    });
  });

  it("reports a failed message as a failure, with the reason", async () => {
    const { success, result } = await handedOn(
      { channel: "slack", text: "Hi" },
      { status: "failed", to: "Slack", reason: "The bot is not in the channel." },
    );
    expect(success).toBe(false);
    expect(result).toMatchObject({
      error: "The message was not sent. Slack: The bot is not in the channel.",
      notification: "failed",
    });
  });

  it("says that a message waits", async () => {
    const waiting = {
      status: "queued",
      to: "Slack",
      chatId: "D1",
      reason: "Slack asks for patience.",
    } as const;
    const { result } = await handedOn({ channel: "slack", text: "Hi" }, waiting);
    expect(result).toMatchObject({
      success: true,
      message: expect.stringMatching(/^Not sent yet: .* Slack: Slack asks for patience\.$/u),
      notification: "queued",
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

  it.each([{ text: "Half of it is done" }, { channel: "chat", text: "Half of it is done" }])(
    "shows %j in the chat",
    async (args) => {
      const { sent, result } = await handedOn(args);
      expect(sent).toEqual([]);
      expect(result).toMatchObject({ success: true, channel: "chat", notification: "Half of it is done" });
    },
  );

  it.each([{ target: "C1" }, { files: ["a.pdf"] }])("asks for the platform of %j", async (args) => {
    const { sent, result } = await handedOn({ ...args, text: "Hi" });
    expect(sent).toEqual([]);
    expect(result).toMatchObject({
      success: false,
      error: "A target and files need their platform as the channel.",
    });
  });

  it("hands files of the project on, each once", async () => {
    const files = ["./out/plan.pdf", "out/plan.pdf", "beds.csv"];
    const { sent, result } = await handedOn({ channel: "slack", text: "Hi", files });
    expect(sent).toMatchObject([{ files: ["out/plan.pdf", "beds.csv"] }]);
    expect(result["message"]).toBe(
      "Sent over slack. The files follow; one that cannot be sent is named there instead.",
    );
  });

  it.each([
    [".env", "Hidden files are not sent"],
    ["config/.secrets/key.pem", "Hidden files are not sent"],
    ["../other/plan.pdf", "Path traversal is not allowed"],
    ["/etc/passwd", "is absolute"],
  ])("does not send %s", async (path, words) => {
    const { sent, result } = await handedOn({ channel: "slack", text: "Hi", files: [path] });
    expect(sent).toEqual([]);
    expect(result["error"]).toContain(words);
  });

  it("gives no files to webhooks", async () => {
    const wish = { channel: "webhook", text: "Hi", files: ["plan.pdf"] };
    const { result } = await call(wish, { messages: messagesBy({}) });
    expect(result["error"]).toBe("A webhook takes no files: send the text alone.");
  });

  it.each([
    ["not_found", "No Discord channel is connected. A person connects one under Settings → Channels"],
    ["forbidden", "The Discord channel may not write to 42"],
  ] as const)("passes on why it may not be sent (%s)", async (code, sentence) => {
    const messages = messagesBy({ toPlatform: refusing(code, sentence) });
    const { success, result } = await call({ channel: "discord", target: "42", text: "Hi" }, { messages });
    expect(success).toBe(false);
    expect(result).toMatchObject({ error: `${sentence}.`, suggestion: expect.stringContaining("answer") });
  });

  it("names the channels to a model that invents one", async () => {
    const { result } = await call({ channel: "email", text: "Hi" }, { messages: messagesBy({}) });
    expect(result["error"]).toMatch(/^There is no channel "email": the channels are chat, reply, webhook, /u);
  });

  it("sends what it counted and scrubbed to the chat that the task came from", async () => {
    const sent: object[] = [];
    const messages = messagesBy({
      scrub: async (text) => text.replace("hunter2", "***"),
      toOrigin: async (message) => {
        sent.push(message);
        return { platform: "slack", label: "Slack", status: "sent", chatId: "D1", platformMessageId: null };
      },
    });
    const { result } = await call({ channel: "reply", text: "It is hunter2" }, { messages });
    expect(result).toMatchObject({ success: true, message: "Sent over Slack." });
    expect(sent).toEqual([{ text: "It is ***", files: [], callId: "1:call_1" }]);
  });

  it("sends nothing above the limit of a task", async () => {
    const count = refusing("rate_limited", "This task sends too many messages");
    const { result } = await call({ channel: "slack", text: "Hi" }, { messages: messagesBy({ count }) });
    expect(result).toMatchObject({ success: false, error: "This task sends too many messages" });
  });

  it.each([
    [
      { delivered: true, error: null },
      { success: true, message: "Sent to the program that started the task." },
    ],
    [
      { delivered: false, error: "The receiver returned 500" },
      { success: false, error: "The message was not sent. The task's webhook: The receiver returned 500" },
    ],
    [undefined, { success: false, error: "This task has no webhook." }],
  ])("tells what the task's receiver did: %j", async (outcome, expected) => {
    const messages = messagesBy({ toReceiver: async () => outcome });
    expect((await call({ channel: "webhook", text: "Hi" }, { messages })).result).toMatchObject(expected);
  });

  it("is for keys that may manage channels", async () => {
    const { success, result } = await call({ channel: "slack", text: "Hi" }, { scopes: ["chat.send"] });
    expect(success).toBe(false);
    expect(result["error"]).toContain("channel.manage");
  });
});

const refusing = (code: AppError["code"], sentence: string) => () =>
  Promise.reject(new AppError(code, sentence));

const never = () => Promise.reject(new Error("This was not to be called"));

/** Messages of a person without channels, but for what a test gives. */
const messagesBy = (outlets: Partial<AgentOutlets>) =>
  agentMessages({
    safeFetch: never,
    discordWebhookUrl: undefined,
    count: async () => {},
    scrub: async (text) => text,
    toPlatform: () => Promise.reject(new AppError("not_found", "No Discord channel is connected")),
    toOrigin: never,
    toReceiver: never,
    ...outlets,
  });

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
    const discordWebhookUrl = `${discord.url}/api/webhooks/1/${TOKEN}`;
    const safeFetch = createSafeFetch({ allowPrivate: false, allowedOrigins: [discord.url] });
    const messages = messagesBy({ safeFetch, discordWebhookUrl });
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

  it("is not sent to where a channel may not write", async () => {
    const toPlatform = refusing("forbidden", "The Discord channel may not write to 42");
    const discordWebhookUrl = `${discord.url}/api/webhooks/1/${TOKEN}`;
    const messages = messagesBy({ toPlatform, discordWebhookUrl });
    expect((await call({ channel: "discord", target: "42", text: "Hi" }, { messages })).success).toBe(false);
    expect(discord.deliveries).toEqual([]);
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
    const discordWebhookUrl = `https://discord.test/${TOKEN}`;
    const safeFetch = () => Promise.reject(new AppError("unavailable", "no", { cause: new Error(TOKEN) }));
    const outcome = await call(
      { channel: "discord", text: "x" },
      { messages: messagesBy({ safeFetch, discordWebhookUrl }) },
    );
    expect(outcome.success).toBe(false);
    expect(outcome.cause).toBeUndefined();
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  });
});
