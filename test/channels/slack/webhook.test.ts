import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import type { ReceivedEvent } from "#src/channels/channel.ts";
import { slack } from "#src/channels/slack/index.ts";
import { type SlackMock, startSlack } from "#test/support/platforms/slack.ts";
import { environmentOf, outgoingText } from "../environment.ts";
import { post } from "../requests.ts";

const CHANNEL = "C0GENERAL1";
const DIRECT = "D0PERSON1";

let platform: SlackMock;
/** What the webhook read, in order. */
const events: ReceivedEvent[] = [];
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  platform = stack.adopt(await startSlack(), (each) => each.close());
  const webhook = await serve(async (request, response) => {
    const { headers } = new Request("http://webhook.test", { headers: Object(request.headers) });
    const received = post(await text(request), Object.fromEntries(headers));
    const secrets = { credentials: platform.credentials, webhookSecret: "" };
    if (!(await slack.verify(received, secrets, Date.now()))) {
      response.writeHead(401).end();
      return;
    }
    events.push(...slack.parse(received, { botId: platform.bot.id, botName: "" }, Date.now()).events);
    response.end();
  });
  stack.adopt(webhook, ({ close }) => close());
  platform.webhookUrl = webhook.url;
});
afterAll(() => stack.disposeAsync());
beforeEach(() => {
  events.length = 0;
});

function api() {
  const parts = environmentOf();
  return slack.api(platform.credentials, { ...parts, baseUrls: { ...parts.baseUrls, slack: platform.url } });
}

describe("what the mock sends to the adapter's webhook", () => {
  it("is one message twice when a person mentions the bot", async () => {
    const by = platform.person("bob");
    const { ts, answers } = await platform.say({
      channelId: CHANNEL,
      text: `<@${platform.bot.id}> Hello`,
      author: by,
    });
    expect(answers).toEqual([
      { status: 200, body: "" },
      { status: 200, body: "" },
    ]);
    const message = {
      kind: "message",
      id: `${CHANNEL}:${ts}`,
      messageId: ts,
      text: "Hello",
      isAddressed: true,
      sender: { id: `${platform.teamId}:${by.id}` },
    };
    expect(events).toMatchObject([message, message]);
  });

  it("names the thread and the files of a message", async () => {
    const { ts: threadTs } = await platform.say({ channelId: DIRECT, text: "Look" });
    const files = [{ filename: "a.txt", mimeType: "text/plain", bytes: Buffer.from("A document") }];
    await platform.say({ channelId: DIRECT, text: "", threadTs, files });
    const read = events.at(-1);
    if (read?.kind !== "message") throw new Error("No message");
    expect(read.place).toEqual({ chatId: DIRECT, chatType: "dm", threadId: threadTs });
    const [file] = read.media;
    if (file === undefined || file.kind === "other") throw new Error("No file");
    expect(await api().download?.(file, 100)).toMatchObject({ mimeType: "text/plain" });
  });

  it("lets a command be answered, and a click", async () => {
    await platform.command(CHANNEL, "/ask", "What now?");
    const [command] = events;
    if (command?.kind !== "message") throw new Error("No message");
    expect(command.text).toBe("/ask What now?");
    const buttons = [{ label: "Yes", data: "yes:1", style: undefined }];
    await api().send(outgoingText(command.place, "This?", { replyTarget: command.replyTarget, buttons }));
    const [message] = platform.sent(CHANNEL);
    if (message === undefined) throw new Error("No answer");
    await platform.press(message, "yes:1");
    const click = events.at(-1);
    if (click?.kind !== "click") throw new Error("No click");
    expect(click).toMatchObject({ data: "yes:1", messageId: message.ts });
    await api().confirmClick?.(click, "Noted");
    expect(platform.sent(CHANNEL)).toMatchObject([{ text: "This?" }, { text: "Noted", isEphemeral: true }]);
  });

  it("has the id of the first time when it is sent again, and is refused unsigned", async () => {
    const event = { type: "message", user: "U1", text: "Hello", channel: DIRECT, ts: "1700000000.000001" };
    await platform.event(event, { eventId: "Ev1", number: 1 });
    await platform.event(event, { eventId: "Ev1", number: 2 });
    expect(new Set(events.map((one) => Object(one).id)).size).toBe(1);
    const url = platform.webhookUrl ?? "";
    const body = JSON.stringify({ type: "event_callback" });
    const send = async (headers: Record<string, string>) =>
      (await fetch(url, { method: "POST", headers, body })).status;
    expect(await send(platform.signed(body))).toBe(200);
    expect(await send(platform.signed(`${body} `))).toBe(401);
    expect(await send(platform.signed(body, Math.floor(Date.now() / 1000) - 1_000))).toBe(401);
  });
});
