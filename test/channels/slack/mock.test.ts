import { SocketModeClient } from "@slack/socket-mode";
import { type Logger, LogLevel, WebClient } from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type SlackMock, startSlack } from "../../support/platforms/slack.ts";

const WAIT = { timeout: 60_000, interval: 20 };
const CHANNEL = "C0GENERAL1";

let slack: SlackMock;
let client: WebClient;

beforeEach(async () => {
  slack = await startSlack();
  slack.addChannel(CHANNEL);
  client = new WebClient(slack.credentials.bot_token, {
    slackApiUrl: `${slack.url}/`,
    retryConfig: { retries: 1, minTimeout: 1 },
    logLevel: LogLevel.ERROR,
  });
});
afterEach(() => slack.close());

describe("the mock of Slack, used by @slack/web-api", () => {
  it("names the bot", async () => {
    expect(await client.auth.test()).toMatchObject({
      ok: true,
      user_id: slack.bot.id,
      team_id: slack.teamId,
    });
  });

  it("takes, changes, reacts to and deletes messages", async () => {
    const blocks = [
      { type: "section", text: { type: "mrkdwn", text: "Allow?" } },
      {
        type: "actions",
        elements: [
          { type: "button", action_id: "a", text: { type: "plain_text", text: "Yes" }, value: "yes" },
        ],
      },
    ];
    const posted = await client.apiCall("chat.postMessage", { channel: CHANNEL, text: "Allow?", blocks });
    const ts = String(Object(posted).ts);
    await client.reactions.add({ channel: CHANNEL, timestamp: ts, name: "eyes" });
    await expect(
      client.reactions.add({ channel: CHANNEL, timestamp: ts, name: "eyes" }),
    ).rejects.toMatchObject({ data: { error: "already_reacted" } });
    expect(slack.sent(CHANNEL)).toMatchObject([{ text: "Allow?", blocks, reactions: ["eyes"] }]);
    await client.chat.update({ channel: CHANNEL, ts, text: "Allowed", blocks: [] });
    expect(slack.sent(CHANNEL)).toMatchObject([{ text: "Allowed", blocks: [], edits: 1 }]);
    await client.chat.delete({ channel: CHANNEL, ts });
    expect(slack.sent(CHANNEL)).toEqual([]);
  });

  it("takes files, and gives them to those who may read them", async () => {
    const { id } = slack.person("ann");
    const { channel } = await client.conversations.open({ users: id });
    const channelId = channel?.id ?? "";
    await client.filesUploadV2({ channel_id: channelId, filename: "a.txt", file: Buffer.from("Hello") });
    expect(slack.sent(channelId)[0]?.files).toMatchObject([{ filename: "a.txt" }]);
  });

  it("returns errors and limits as the library reads them", async () => {
    const post = () => client.apiCall("chat.postMessage", { channel: CHANNEL, text: "Hi" });
    slack.refuse(CHANNEL, "is_archived");
    await expect(post()).rejects.toMatchObject({ data: { ok: false, error: "is_archived" } });
    slack.refuse(CHANNEL, undefined);
    slack.failNext({ kind: "busy", retryAfterSeconds: 0 });
    await post();
    slack.failNext({ kind: "answer", status: 500, text: "" });
    await post();
    expect(slack.sent(CHANNEL)).toHaveLength(2);
    slack.withoutScope("chat:write");
    await expect(post()).rejects.toMatchObject({ data: { error: "missing_scope", needed: "chat:write" } });
    slack.refuseToken("token_revoked");
    await expect(post()).rejects.toMatchObject({ data: { error: "token_revoked" } });
  });
});

interface Heard {
  ack: (payload?: Record<string, unknown>) => Promise<void>;
  body: Record<string, unknown>;
  retry_num?: number;
}

/** The library tells of lost connections, which these tests make. */
const SILENT: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

describe("the mock of Socket Mode, used by @slack/socket-mode", () => {
  let socket: SocketModeClient;
  let isConnecting: boolean;
  beforeEach(() => {
    isConnecting = false;
    socket = new SocketModeClient({
      appToken: slack.credentials.app_token,
      clientOptions: { slackApiUrl: `${slack.url}/` },
      clientPingTimeout: 1_000,
      logger: SILENT,
    });
    for (const event of ["connecting", "reconnecting"]) socket.on(event, () => (isConnecting = true));
    socket.on("connected", () => (isConnecting = false));
  });
  afterEach(async () => {
    // A client that is ended in the middle of a new attempt rejects a promise to which it gives no access.
    await vi.waitUntil(() => !isConnecting, WAIT);
    await socket.disconnect();
  });

  /** Acknowledges what comes, and returns its types. */
  function hear(...types: string[]): string[] {
    const heard: string[] = [];
    for (const type of types) {
      socket.on(type, ({ ack }: Heard) => {
        heard.push(type);
        void ack(type === "slash_commands" ? { text: "Wait" } : undefined);
      });
    }
    return heard;
  }

  it("greets, hands over messages, clicks and commands, and records their acknowledgements", async () => {
    const heard = hear("message", "app_mention", "interactive", "slash_commands");
    await socket.start();
    await slack.say({ channelId: CHANNEL, text: `<@${slack.bot.id}> Hello` });
    await slack.command(CHANNEL, "/new");
    const button = {
      type: "button",
      action_id: "a",
      text: { type: "plain_text", text: "Yes" },
      value: "yes",
    };
    await client.apiCall("chat.postMessage", {
      channel: CHANNEL,
      text: "Allow?",
      blocks: [{ type: "actions", elements: [button] }],
    });
    const [message] = slack.sent(CHANNEL);
    if (message !== undefined) await slack.press(message, "yes");
    await vi.waitFor(() => expect(slack.sockets.acks).toHaveLength(4), WAIT);
    expect(heard.toSorted()).toEqual(["app_mention", "interactive", "message", "slash_commands"]);
    expect(slack.sockets.acks.map(({ payload }) => payload)).toContainEqual({ text: "Wait" });
    expect(slack.sockets.unacknowledged).toEqual([]);
  });

  it("sends again what was not acknowledged", async () => {
    const attempts: (number | undefined)[] = [];
    socket.on("message", ({ ack, retry_num: attempt }: Heard) => {
      attempts.push(attempt);
      if (attempts.length === 2) void ack();
    });
    await socket.start();
    slack.sockets.redeliverMs = 100;
    await slack.say({ channelId: CHANNEL, text: "Hello" });
    await vi.waitFor(() => expect(slack.sockets.acks.length).toBeGreaterThan(0), WAIT);
    expect(attempts.slice(0, 2)).toEqual([0, 1]);
  });

  it.each(["warning", "refresh_requested"] as const)(
    "is left for a new address after a disconnect with %s",
    async (reason) => {
      const heard = hear("message");
      await socket.start();
      slack.sockets.disconnect(reason);
      await vi.waitFor(() => expect(slack.sockets.connections.length).toBeGreaterThan(1), WAIT);
      await slack.say({ channelId: CHANNEL, text: "Hello" });
      await vi.waitFor(() => expect(heard).toEqual(["message"]), WAIT);
    },
  );

  it("keeps what people write while no connection is open", async () => {
    const heard = hear("message");
    await socket.start();
    slack.sockets.dropAll();
    await vi.waitFor(() => expect(slack.sockets.connections[0]?.isClosed).toBe(true), WAIT);
    await slack.say({ channelId: CHANNEL, text: "Hello" });
    await vi.waitFor(() => expect(heard).toEqual(["message"]), WAIT);
    slack.sockets.ping();
    await vi.waitFor(() => expect(slack.sockets.connections.at(-1)?.pongs).toBe(1), WAIT);
  });

  it("is left when it does not answer pings", async () => {
    await socket.start();
    await vi.waitFor(() => expect(slack.sockets.connections[0]?.pings).toBeGreaterThan(0), WAIT);
    slack.sockets.answersPings = false;
    await vi.waitFor(() => expect(slack.sockets.connections.length).toBeGreaterThan(1), WAIT);
  });

  it("takes no address twice, and no token but the app's", async () => {
    const open = async (token: string) =>
      Object(await new WebClient(token, { slackApiUrl: `${slack.url}/` }).apiCall("apps.connections.open"));
    const { url } = await open(slack.credentials.app_token);
    const first = new WebSocket(url);
    await new Promise((resolve) => first.addEventListener("open", resolve));
    const second = new WebSocket(url);
    await new Promise((resolve) => second.addEventListener("error", resolve));
    first.close();
    await expect(open(slack.credentials.bot_token)).rejects.toThrow(/not_allowed_token_type/u);
  });
});
