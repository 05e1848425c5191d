import { DiscordAPIError, REST } from "@discordjs/rest";
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { SocketModeClient } from "@slack/socket-mode";
import { LogLevel, WebClient } from "@slack/web-api";
import { expect, it, vi } from "vitest";
import { WAIT_HANGS_MS } from "#test/support/hangs.ts";
import { startDiscord } from "#test/support/platforms/discord.ts";
import { startSlack } from "#test/support/platforms/slack.ts";

/** What the platforms' own clients do with the servers that stand for them in these tests. */
const WAIT = { timeout: WAIT_HANGS_MS, interval: 20 };

it("the server that stands for Discord works with Discord's libraries", async () => {
  const discord = await startDiscord();
  const { bot_token: token, application_id, public_key } = discord.credentials;
  const api = discord.url.replace("/v10", "");
  const rest = new REST({ api, version: "10", retries: 1 }).setToken(token);
  expect(await rest.get("/applications/@me")).toMatchObject({ id: application_id, verify_key: public_key });

  const intents = 1 | (1 << 9) | (1 << 12) | (1 << 15);
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is in a package that the library brings
  const manager = new WebSocketManager({ token, intents, rest });
  const heard: string[] = [];
  manager.on(WebSocketShardEvents.Dispatch, ({ t }) => heard.push(t));
  await manager.connect();
  await vi.waitFor(() => expect(heard).toEqual(["READY"]), WAIT);

  const channel = discord.addChannel();
  discord.say({ channelId: channel, text: "Hello" });
  const post = (body: object) => rest.post(`/channels/${channel}/messages`, { body });
  const button = { type: 2, style: 1, label: "Yes", custom_id: "yes" };
  await post({ content: "Allow?", components: [{ type: 1, components: [button] }] });
  const [message] = discord.sent(channel);
  await discord.press(message?.id ?? "", "yes");
  await vi.waitFor(() => expect(heard).toEqual(["READY", "MESSAGE_CREATE", "INTERACTION_CREATE"]), WAIT);
  await manager.destroy();

  await rest.patch(`/channels/${channel}/messages/${message?.id}`, { body: { content: "Allowed" } });
  expect(discord.sent(channel)).toMatchObject([{ content: "Allowed", edits: 1 }]);
  await expect(post({ content: "" })).rejects.toThrow(DiscordAPIError);
  discord.refuse(channel, 50_013);
  await expect(post({ content: "Hi" })).rejects.toMatchObject({ code: 50_013, status: 403 });
  await discord.close();
});

it("the server that stands for Slack works with Slack's libraries", async () => {
  const slack = await startSlack();
  const slackApiUrl = `${slack.url}/`;
  const client = new WebClient(slack.credentials.bot_token, { slackApiUrl, logLevel: LogLevel.ERROR });
  expect(await client.auth.test()).toMatchObject({ user_id: slack.bot.id, team_id: slack.teamId });

  const clientOptions = { slackApiUrl };
  const socket = new SocketModeClient({ appToken: slack.credentials.app_token, clientOptions });
  const heard: string[] = [];
  for (const type of ["message", "interactive", "slash_commands"]) {
    socket.on(type, ({ ack }: { ack: () => Promise<void> }) => {
      heard.push(type);
      void ack();
    });
  }
  await socket.start();
  const channel = "C0GENERAL1";
  await slack.say({ channelId: channel, text: "Hello" });
  await slack.command(channel, "/new");
  const text = { type: "plain_text", text: "Yes" };
  const elements = [{ type: "button", action_id: "a", text, value: "yes" }];
  const blocks = [{ type: "actions", elements }];
  await client.apiCall("chat.postMessage", { channel, text: "Allow?", blocks });
  const [message] = slack.sent(channel);
  if (!message) throw new Error("Nothing was sent");
  await slack.press(message, "yes");
  await vi.waitFor(() => expect(slack.acks).toHaveLength(3), WAIT);
  expect(heard.toSorted()).toEqual(["interactive", "message", "slash_commands"]);
  await socket.disconnect();

  await client.chat.update({ channel, ts: message.ts, text: "Allowed", blocks: [] });
  expect(slack.sent(channel)).toMatchObject([{ text: "Allowed", blocks: [], edits: 1 }]);
  const file = Buffer.from("Hello");
  await client.filesUploadV2({ channel_id: channel, filename: "a.txt", file });
  expect(slack.sent(channel).at(-1)?.files).toMatchObject([{ filename: "a.txt" }]);
  slack.refuse(channel, "is_archived");
  const refused = client.apiCall("chat.postMessage", { channel, text: "Hi" });
  await expect(refused).rejects.toMatchObject({ data: { ok: false, error: "is_archived" } });
  await slack.close();
});
