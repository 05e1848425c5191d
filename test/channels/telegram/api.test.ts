import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { startChatPlatform } from "#stand-ins/chat-platform/index.ts";
import type { ApiMessage } from "#stand-ins/chat-platform/message.ts";
import type { OutgoingText, Place, RenderedText } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import { telegram } from "#src/channels/telegram/index.ts";
import { parseUpdate } from "#src/channels/telegram/parse.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";
import { png } from "#test/support/pictures.ts";
import { apiContract } from "../api-contract.ts";
import { button, environmentOf, failureOf, outgoingText } from "../environment.ts";
import { BUSY_SECONDS, mediaAt, type Trouble } from "../platform-under-test.ts";

const TOKEN = "standin:a-token-that-is-secret";
const TOPIC = 7;

/** As the chat platform is asked for it. Telegram quotes what it was given. */
const FAULTS: Readonly<Record<Trouble, object>> = {
  busy: { status: 429, description: "Too Many Requests: retry after 7", retryAfter: BUSY_SECONDS },
  error: { status: 500 },
  garbage: { kind: "garbage" },
  hang: { kind: "hang" },
  lost: { kind: "lost" },
  unauthorized: { status: 401, description: `Unauthorized: ${TOKEN}` },
  refused: { status: 400, description: `Bad Request: STRANGE_${TOKEN}` },
};

const dataDir = mkdtempSync(path.join(tmpdir(), "telegram-api-"));
let bots = 0;

const server = await startChatPlatform({ dataDir });
const platform = new ChatPlatform(server.url);
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

apiContract({
  label: "Telegram",
  render: (markdown) => adapters.telegram.render(markdown),
  reads: ({ markup }) => visible(markup),
  has: ["network", "threads", "replies", "downloads"],
  async start() {
    const api = adapters.telegram.api({ bot_token: TOKEN }, environmentOf({ chatPlatformUrl: server.url }));
    const botId = Number((await api.identify()).botId);
    const ann = await platform.person("Ann");
    const group = await platform.group("Team", [ann.id]);
    const alone = platform.chat(botId, ann.id, ann.id);
    await alone.say("/start");
    const chat = platform.chat(botId, group.id, ann.id);
    const messageId = String(await chat.say("hi"));
    await chat.say("a topic", { topic: TOPIC });
    const place: Place = { chatId: String(group.id), chatType: "group", threadId: undefined };

    const sentTo = async ({ chatId, threadId }: Place): Promise<ApiMessage[]> => {
      const { messages } = await platform.chat(botId, Number(chatId), ann.id).read();
      return messages
        .map(({ message }) => message)
        .filter(({ from, message_thread_id: topic }) => from.is_bot && String(topic) === String(threadId));
    };
    return {
      api,
      secrets: [TOKEN],
      place,
      thread: { ...place, threadId: String(TOPIC) },
      message: { messageId, sender: { id: String(ann.id), alternateId: undefined, name: ann.name } },
      async texts(at) {
        const sent = await sentTo(at);
        return sent.flatMap(({ text, reply_to_message: replied }) =>
          text === undefined ? [] : [{ text, replyTo: replied && String(replied.message_id) }],
        );
      },
      async files(at) {
        const sent = await sentTo(at);
        const files = sent.flatMap(({ photo = [], document }) => photo.at(-1) ?? document ?? []);
        return Promise.all(
          files.map(async ({ file_id: id }) => {
            const response = await fetch(`${server.url}/bots/${botId}/files/${id}`);
            return new Uint8Array(await response.arrayBuffer());
          }),
        );
      },
      trouble: (trouble) => platform.setFaults(botId, [FAULTS[trouble]]),
      callCount: async () => (await platform.calls(botId)).length,
      async file(bytes) {
        const id = await alone.sendFile({
          kind: "document",
          filename: "pixel.png",
          mimeType: "image/png",
          bytes: new Uint8Array(bytes),
        });
        const { messages } = await alone.read();
        const { document } = messages.find(({ message }) => message.message_id === id)?.message ?? {};
        return mediaAt(document?.file_id ?? "", document?.mime_type);
      },
      close: async () => {},
    };
  },
});

/** What is left of HTML when its tags are gone, without white space around it. */
function visible(html: string): string {
  return html
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .trim();
}

/** A bot of its own and a person who has written to it. */
async function conversation() {
  const token = `standin:${(bots += 1)}`;
  const api = telegram.api({ bot_token: token }, environmentOf({ chatPlatformUrl: server.url }));
  const self = await api.identify();
  const botId = Number(self.botId);
  const person = await platform.person("Cy");
  const chat = platform.chat(botId, person.id, person.id);
  const first = await chat.say("/start");
  const place = await api.directPlace(String(person.id));
  const text = (content: RenderedText, more: Partial<OutgoingText> = {}): OutgoingText =>
    outgoingText(place, "", { text: content, ...more });
  return { token, api, self, botId, person, chat, first, place, text };
}

/** What the service reads of the updates that wait. */
async function eventsOf({ token, self }: Pick<Awaited<ReturnType<typeof conversation>>, "token" | "self">) {
  const response = await fetch(`${server.url}/bot${token}/getUpdates`);
  const { result }: { result: { update_id: number }[] } = await response.json();
  return result.flatMap((update) => parseUpdate(update, self));
}

const plain = (text: string): RenderedText => ({ markup: text, plain: text });

describe("Telegram's calls", () => {
  it("send a rendered text as a reply, quietly and with buttons", async () => {
    const { api, chat, first, text } = await conversation();
    const [rendered] = await adapters.telegram.render("Is **this** `right` <?>");
    const sent = await api.send(
      text(rendered ?? plain(""), {
        replyTo: String(first),
        isSilent: true,
        buttons: [
          { label: "Yes", data: "approve:1:allow", style: "primary" },
          { label: "No", data: "approve:1:deny", style: "danger" },
        ],
      }),
    );
    const shown = (await chat.read()).messages.at(-1);
    expect(String(shown?.message.message_id)).toBe(sent.messageId);
    expect(shown).toMatchObject({
      isSilent: true,
      message: {
        text: "Is this right <?>",
        entities: [{ type: "bold" }, { type: "code" }],
        reply_to_message: { message_id: first },
        reply_markup: {
          inline_keyboard: [
            [
              { text: "Yes", callback_data: "approve:1:allow", style: "primary" },
              { text: "No", callback_data: "approve:1:deny", style: "danger" },
            ],
          ],
        },
      },
    });
  });

  it("send a reply to a message that is gone, and buttons with long labels below each other", async () => {
    const { api, chat, text } = await conversation();
    const buttons = ["a", "b"].map((data) => button(data.repeat(20), data));
    await api.send(text(plain("x"), { replyTo: "999999", buttons }));
    const { message } = (await chat.read()).messages.at(-1) ?? {};
    expect(message?.reply_markup?.inline_keyboard).toHaveLength(2);
    expect(message).not.toHaveProperty("reply_to_message");
  });

  it("write into no topic of a group that there is not, and show that they write", async () => {
    const { api, botId, person, text } = await conversation();
    const group = await platform.group("Team", [person.id]);
    const chat = platform.chat(botId, group.id, person.id);
    await chat.say("hello", { topic: 7 });
    const place = { chatId: String(group.id), chatType: "group", threadId: "7" } as const;
    await api.showTyping?.(place, undefined);
    expect(await chat.read()).toMatchObject({ isTyping: true });
    const elsewhere = text(plain("x"), { place: { ...place, threadId: "8" } });
    expect(await failureOf(api.send(elsewhere))).toMatchObject({
      kind: "refused",
      message: "The topic of the chat no longer exists.",
    });
  });

  it("edit a text, remove its buttons, and delete it", async () => {
    const { api, chat, place, text } = await conversation();
    const { messageId = "" } = await api.send(text(plain("one"), { buttons: [button("a")] }));
    await api.edit?.({ place, messageId, text: { markup: "<b>two</b>", plain: "two" } });
    await api.edit?.({ place, messageId, text: { markup: "<b>two</b>", plain: "two" } });
    const { message } = (await chat.read()).messages.at(-1) ?? {};
    expect(message).toMatchObject({ text: "two", entities: [{ type: "bold" }] });
    expect(message).not.toHaveProperty("reply_markup");
    await api.remove?.({ place, messageId });
    await api.remove?.({ place, messageId });
    expect((await chat.read()).messages).toHaveLength(1);
    const gone = api.edit?.({ place, messageId, text: plain("three") });
    expect(await failureOf(gone)).toMatchObject({ kind: "refused" });
  });

  it.each([
    ["👀", "👀"],
    ["✅", "👌"],
    ["⚠️", "🤨"],
    ["❤️", "❤"],
    ["🧮", "👍"],
  ])("react with %s as %s", async (emoji, shown) => {
    const { api, person, chat, first, place } = await conversation();
    const sender = { id: String(person.id), alternateId: undefined, name: person.name };
    await api.react?.({ place, messageId: String(first), sender }, emoji);
    expect((await chat.read()).messages).toMatchObject([{ reactions: [shown] }]);
  });

  it("confirm a click, with a text that is cut", async () => {
    const { token, self, api, chat, text } = await conversation();
    const { messageId } = await api.send(text(plain("?"), { buttons: [button("a")] }));
    await chat.press(Number(messageId), "a");
    const click = (await eventsOf({ token, self })).find((event) => event.kind === "click");
    if (click?.kind !== "click") throw new Error("Expected a click");
    expect(click).toMatchObject({ data: "a", messageId });
    await api.confirmClick?.(click, "x".repeat(300));
    await api.confirmClick?.(click, "again");
    expect((await chat.read()).clicks).toMatchObject([{ answer: "x".repeat(200) }]);
  });

  it("send images as photos and other files as documents", async () => {
    const { api, chat, first, place } = await conversation();
    const file = { place, replyTo: String(first), nonce: "n", bytes: png(1, 1) };
    await api.sendFile?.({ ...file, filename: "dot.png", mimeType: "image/png" });
    await api.sendFile?.({ ...file, filename: "naïve.csv", mimeType: "text/csv" });
    await api.sendFile?.({ ...file, filename: "no.png", mimeType: "image/png", bytes: new Uint8Array(3) });
    expect((await chat.read()).messages.slice(1).map(({ message }) => message)).toMatchObject([
      { photo: [{ file_size: png(1, 1).byteLength }], reply_to_message: { message_id: first } },
      { document: { file_name: "naïve.csv", mime_type: "text/csv" } },
      { document: { file_name: "no.png" } },
    ]);
  });

  it("register a webhook and remove it", async () => {
    const { token, api } = await conversation();
    await api.registerWebhook?.("https://service.test/hook", "a-secret");
    const info = async (): Promise<unknown> =>
      (await fetch(`${server.url}/bot${token}/getWebhookInfo`)).json();
    expect(await info()).toMatchObject({
      result: {
        url: "https://service.test/hook",
        allowed_updates: ["message", "edited_message", "callback_query", "my_chat_member"],
      },
    });
    await api.removeWebhook?.();
    expect(await info()).toMatchObject({ result: { url: "" } });
  });
});

it("a text is refused by a person who blocked the bot, or never wrote to it", async () => {
  const { api, chat, text } = await conversation();
  const other = await platform.person("Di");
  const place = await api.directPlace(String(other.id));
  expect(await failureOf(api.send(text(plain("x"), { place })))).toMatchObject({ kind: "refused" });
  await chat.setMembership(false);
  const message = "The person blocked the bot.";
  expect(await failureOf(api.send(text(plain("x"))))).toMatchObject({ kind: "refused", message });
});
