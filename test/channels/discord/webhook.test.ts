import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { discord } from "#src/channels/discord/index.ts";
import type { ReceivedEvent } from "#src/channels/channel.ts";
import { type DiscordMock, startDiscord } from "#test/support/platforms/discord.ts";
import { environmentOf, outgoingText } from "../environment.ts";
import { post } from "../requests.ts";

let platform: DiscordMock;
/** What the webhook read, in order. */
const events: ReceivedEvent[] = [];
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  platform = stack.adopt(await startDiscord(), (each) => each.close());
  const webhook = await serve(async (request, response) => {
    const { headers } = new Request("http://webhook.test", { headers: Object(request.headers) });
    const received = post(await text(request), Object.fromEntries(headers));
    const secrets = { credentials: platform.credentials, webhookSecret: "" };
    if (!(await discord.verify(received, secrets, Date.now()))) {
      response.writeHead(401).end();
      return;
    }
    const { reply, events: read } = discord.parse(
      received,
      { botId: platform.bot.id, botName: "" },
      Date.now(),
    );
    events.push(...read);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify("json" in reply ? reply.json : {}));
  });
  stack.adopt(webhook, ({ close }) => close());
  platform.interactionsUrl = webhook.url;
});
afterAll(() => stack.disposeAsync());

function api() {
  const parts = environmentOf();
  return discord.api(platform.credentials, {
    ...parts,
    baseUrls: { ...parts.baseUrls, discord: platform.url },
  });
}

describe("an interaction of the mock, at the adapter's webhook", () => {
  it("that is a command is answered by what is sent", async () => {
    const channelId = platform.addChannel({ guildId: "1" });
    const options = [{ name: "prompt", type: 3, value: "Hello" }];
    const { id, response } = await platform.command(channelId, "ask", options, platform.person("bob"));
    expect(response).toEqual({ status: 200, body: { type: 5 } });
    expect(platform.answered(id)).toBe(5);
    const command = events.at(-1);
    if (command?.kind !== "message") throw new Error("No message");
    expect(command).toMatchObject({ text: "Hello", sender: { id: platform.person("bob").id } });
    await api().send(outgoingText(command.place, "Done", { replyTarget: command.replyTarget }));
    expect(platform.sent(channelId)).toMatchObject([{ content: "Done", edits: 1 }]);
  });

  it("that is a click is confirmed, and its text shown to its person", async () => {
    const chatId = platform.addChannel();
    const buttons = [{ label: "Yes", data: "yes:1", style: undefined }];
    const place = { chatId, chatType: "dm" as const, threadId: undefined };
    const { messageId = "" } = await api().send(outgoingText(place, "Allow?", { buttons }));
    const { response } = await platform.press(messageId, "yes:1");
    expect(response).toEqual({ status: 200, body: { type: 6 } });
    const click = events.at(-1);
    if (click?.kind !== "click") throw new Error("No click");
    expect(click).toMatchObject({ data: "yes:1", messageId, place });
    await api().confirmClick?.(click, "Allowed");
    expect(platform.sent(chatId)).toMatchObject([{}, { content: "Allowed", isEphemeral: true }]);
  });

  it("is refused with another signature, or when it is old", async () => {
    const url = platform.interactionsUrl ?? "";
    const send = async (body: string, headers: Record<string, string>) =>
      (await fetch(url, { method: "POST", headers, body })).status;
    const ping = JSON.stringify({ type: 1 });
    expect(await send(ping, platform.signed(ping))).toBe(200);
    expect(await send(`${ping} `, platform.signed(ping))).toBe(401);
    expect(await send(ping, platform.signed(ping, Math.floor(Date.now() / 1000) - 1_000))).toBe(401);
  });
});
