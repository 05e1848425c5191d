import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  agentMessages,
  type AgentMessage,
  type AgentOutlets,
  type SentMessage,
} from "#src/agent/services/messages.ts";
import { resumeTool, runTool } from "#src/agent/tools/run-tool.ts";
import { AppError } from "#src/lib/errors.ts";
import { createSafeFetch } from "#src/platform/safe-fetch/index.ts";
import { startReceiver, type Reply } from "#test/stand-ins/support/receiver.ts";
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
    resume: never,
  };
  return { ...(await call(args, { messages })).result, sent };
}

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
    toPlatform: refusing("not_found", "No Discord channel is connected"),
    toOrigin: never,
    toReceiver: never,
    resume: never,
    ...outlets,
  });
const sendBy = async (outlets: Partial<AgentOutlets>, args: object) =>
  (await call({ text: "Hi", ...args }, { messages: messagesBy(outlets) })).result;

describe("a message of an agent", () => {
  it("is handed on with channel, target and text, and the agent is told where it went", async () => {
    const message = { channel: "slack", target: "C123", text: "Done" };
    expect(await handedOn({ ...message, channel: "Slack" })).toMatchObject({
      success: true,
      message: "Sent over slack.",
      channel: "slack",
      target: "C123",
      notification: "sent",
      details: { via: "channel", platform_message_id: "1700000000.000100" },
      sent: [{ ...message, files: [], sender: "Garden planner", callId: "1:call_1" }],
    });
  });

  it.each([
    [
      { status: "failed", to: "Slack", reason: "The bot is not in the channel." },
      {
        success: false,
        error: "The message was not sent. Slack: The bot is not in the channel.",
        notification: "failed",
      },
    ],
    [
      { status: "queued", to: "Slack", chatId: "D1", reason: "Slack asks for patience." },
      {
        success: true,
        message: expect.stringMatching(/^Not sent yet: .* Slack: Slack asks for patience\.$/u),
        notification: "queued",
      },
    ],
  ] as const)("that is not sent, or waits, is reported as such: %j", async (outcome, expected) => {
    expect(await handedOn({ channel: "slack", text: "Hi" }, outcome)).toMatchObject(expected);
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
    [
      { channel: "slack", text: "Hi", files: ["./out/plan.pdf", "out/plan.pdf", "beds.csv"] },
      { files: ["out/plan.pdf", "beds.csv"] },
    ],
  ])("is understood as a model writes it: %j", async (args, expected) => {
    expect((await handedOn(args)).sent).toMatchObject([expected]);
  });

  it.each([{}, { channel: "chat" }])("to no channel is shown in the chat: %j", async (args) => {
    const text = "Half of it is done";
    expect(await handedOn({ ...args, text })).toMatchObject({
      success: true,
      channel: "chat",
      notification: text,
      sent: [],
    });
  });

  const PLATFORM = "A target and files need their platform as the channel.";
  it.each([
    [{ target: "C1" }, PLATFORM],
    [{ files: ["a.pdf"] }, PLATFORM],
    [{ channel: "slack", files: [".env"] }, "Hidden files are not sent"],
    [{ channel: "slack", files: ["config/.secrets/key.pem"] }, "Hidden files are not sent"],
    [{ channel: "slack", files: ["../other/plan.pdf"] }, "Path traversal is not allowed"],
    [{ channel: "slack", files: ["/etc/passwd"] }, "is absolute"],
  ])("is not sent, with the reason: %j", async (args, words) => {
    const error = expect.stringContaining(words);
    expect(await handedOn({ text: "Hi", ...args })).toMatchObject({ success: false, error, sent: [] });
  });

  it("is told why a channel may not send it, that there is none, and that a webhook takes no files", async () => {
    for (const [code, sentence] of [
      ["not_found", "No Discord channel is connected. A person connects one under Settings → Channels"],
      ["forbidden", "The Discord channel may not write to 42"],
    ] as const) {
      const outlets = { toPlatform: refusing(code, sentence) };
      expect(await sendBy(outlets, { channel: "discord", target: "42" })).toMatchObject({
        success: false,
        error: `${sentence}.`,
        suggestion: expect.stringContaining("answer"),
      });
    }
    expect((await sendBy({}, { channel: "email" }))["error"]).toMatch(
      /^There is no channel "email": the channels are chat, reply, webhook, /u,
    );
    expect((await sendBy({}, { channel: "webhook", files: ["plan.pdf"] }))["error"]).toBe(
      "A webhook takes no files: send the text alone.",
    );
  });

  it("to the chat that the task came from is scrubbed, and none is sent above the limit of a task", async () => {
    const sent: object[] = [];
    const outlets: Partial<AgentOutlets> = {
      scrub: async (text) => text.replace("hunter2", "***"),
      toOrigin: async (message) => {
        sent.push(message);
        return { platform: "slack", label: "Slack", status: "sent", chatId: "D1", platformMessageId: null };
      },
    };
    const args = { channel: "reply", text: "It is hunter2" };
    expect(await sendBy(outlets, args)).toMatchObject({ success: true, message: "Sent over Slack." });
    const limit = "This task sends too many messages";
    const counting = { ...outlets, count: refusing("rate_limited", limit) };
    expect(await sendBy(counting, args)).toMatchObject({ success: false, error: limit });
    expect(sent).toEqual([{ text: "It is ***", files: [], callId: "1:call_1" }]);
  });

  it("whose executor died goes on, and is reported as it ended; where it left nothing, its outcome is unknown", async () => {
    const asked: string[] = [];
    const resumed = (outcome: Awaited<ReturnType<AgentOutlets["resume"]>>) =>
      resumeTool(
        toolCall("send_message", { channel: "slack", target: "C1", text: "Hi", files: ["beds.csv"] }),
        toolContext({
          messages: messagesBy({
            resume: async (callId) => {
              asked.push(callId);
              return outcome;
            },
          }),
        }),
      );
    const sent = { status: "sent", chatId: "C1", platformMessageId: "7" } as const;
    expect((await resumed({ platform: "slack", label: "Slack", ...sent })).result).toEqual({
      success: true,
      message: "Sent over slack. The files follow; one that cannot be sent is named there instead.",
      channel: "slack",
      target: "C1",
      notification: "sent",
      details: { via: "channel", chat_id: "C1", platform_message_id: "7" },
    });
    expect((await resumed(undefined)).result).toMatchObject({
      success: false,
      error: expect.stringContaining("interrupted"),
      suggestion: expect.stringContaining("Check"),
    });
    expect(asked).toEqual(["1:call_1", "1:call_1"]);
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
  ])("to the task's receiver tells what that did: %j", async (outcome, expected) => {
    expect(await sendBy({ toReceiver: async () => outcome }, { channel: "webhook" })).toMatchObject(expected);
  });
});

describe("a message to the service's Discord webhook", () => {
  const TOKEN = "a-token-that-nobody-may-see";
  let discord: Awaited<ReturnType<typeof startReceiver>>;
  let reply: Reply;
  beforeAll(async () => {
    discord = await startReceiver(() => reply);
  });
  afterAll(() => discord.close());
  beforeEach(() => {
    reply = { status: 204 };
    discord.deliveries.length = 0;
  });

  const post = (args: object = {}, outlets: Partial<AgentOutlets> = {}) => {
    const discordWebhookUrl = `${discord.url}/api/webhooks/1/${TOKEN}`;
    const safeFetch = createSafeFetch({ allowPrivate: false, allowedOrigins: [discord.url] });
    const messages = messagesBy({ safeFetch, discordWebhookUrl, ...outlets });
    return call({ channel: "discord", text: "The build is green, @everyone", ...args }, { messages });
  };

  it("is one embed that mentions no person; a target makes no difference there", async () => {
    expect((await post()).result).toMatchObject({
      success: true,
      channel: "discord",
      details: { via: "webhook" },
    });
    const [delivery] = discord.deliveries;
    expect(delivery).toMatchObject({
      method: "POST",
      path: `/api/webhooks/1/${TOKEN}`,
      headers: { "content-type": "application/json" },
    });
    const embed = {
      title: "Agent Notification",
      description: "The build is green, @everyone",
      color: 0x7c3aed,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/u),
      footer: { text: "Garden planner" },
    };
    expect(JSON.parse(delivery?.body ?? "")).toEqual({ embeds: [embed], allowed_mentions: { parse: [] } });
    expect((await post({ target: "42" })).result["message"]).toContain("The target was not used");
  });

  it("is not sent when it is too long, nor to where a channel may not write", async () => {
    const toPlatform = refusing("forbidden", "The Discord channel may not write to 42");
    expect((await post({ target: "42" }, { toPlatform })).success).toBe(false);
    expect((await post({ text: "x".repeat(4_001) })).result["error"]).toContain("4001 characters");
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
    expect(outcome.result).toMatchObject({ success: false, error: expect.stringContaining(words) });
    expect(discord.deliveries).toHaveLength(1);
    expect(JSON.stringify(outcome) + String(outcome.cause)).not.toContain(TOKEN);
  });

  it("to an address that cannot be reached is a failure, which does not tell it either", async () => {
    const safeFetch = () => Promise.reject(new AppError("unavailable", "no", { cause: new Error(TOKEN) }));
    const outcome = await post({}, { safeFetch });
    expect(outcome.success).toBe(false);
    expect(outcome.cause).toBeUndefined();
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  });
});
