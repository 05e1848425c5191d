import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChannelApi, OutgoingText, ReceivedEvent, RenderedText } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { telegram } from "#src/channels/telegram/index.ts";
import { parseUpdate } from "#src/channels/telegram/parse.ts";
import { startChatPlatform } from "#local/chat-platform/index.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";

const PNG = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);

const dataDir = mkdtempSync(path.join(tmpdir(), "telegram-api-"));
let server: Awaited<ReturnType<typeof startChatPlatform>>;
let platform: ChatPlatform;
let bots = 0;

beforeAll(async () => {
  server = await startChatPlatform({ dataDir });
  platform = new ChatPlatform(server.url);
});
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

function apiOf(token: string): ChannelApi {
  const nowhere = "http://127.0.0.1:9";
  const baseUrls = { telegram: nowhere, slack: nowhere, discord: nowhere, whatsapp: nowhere };
  return telegram.api(
    { bot_token: token },
    { baseUrls, chatPlatformUrl: server.url, fetch, guardedFetch: fetch, terminals: { push: async () => 1 } },
  );
}

/** A bot of its own and a person who has written to it. */
async function conversation() {
  const token = `standin:${(bots += 1)}`;
  const api = apiOf(token);
  const self = await api.identify();
  const botId = Number(self.botId);
  const person = await platform.person("Cy");
  const chat = platform.chat(botId, person.id, person.id);
  const first = await chat.say("/start");
  const place = await api.directPlace(String(person.id));
  const text = (content: RenderedText, more: Partial<OutgoingText> = {}): OutgoingText => ({
    place,
    text: content,
    replyTo: undefined,
    replyTarget: undefined,
    buttons: [],
    isSilent: false,
    nonce: "n",
    ...more,
  });
  return { token, api, self, botId, person, chat, first, place, text };
}

/** What the service reads of the updates that wait. */
async function eventsOf({ token, self }: Pick<Awaited<ReturnType<typeof conversation>>, "token" | "self">) {
  const response = await fetch(`${server.url}/bot${token}/getUpdates`);
  const { result }: { result: { update_id: number }[] } = await response.json();
  return result.flatMap((update) => parseUpdate(update, self));
}

function isMessage(event: ReceivedEvent | undefined): event is Extract<ReceivedEvent, { kind: "message" }> {
  return event?.kind === "message";
}

const plain = (text: string): RenderedText => ({ markup: text, plain: text });

async function failureOf(work: Promise<unknown> | undefined): Promise<PlatformFailure> {
  const error = await work?.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PlatformFailure))
    throw new Error(`Expected a PlatformFailure, not ${String(error)}`);
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(/standin:\d/u);
  return error;
}

describe("Telegram's calls", () => {
  it("identify the bot", async () => {
    const { self, botId } = await conversation();
    expect(self).toEqual({ botId: String(botId), botName: expect.stringMatching(/^standin\d+_bot$/u) });
  });

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
    const buttons = ["a", "b"].map((data) => ({ label: data.repeat(20), data, style: undefined }));
    await api.send(text(plain("x"), { replyTo: "999999", buttons }));
    const { message } = (await chat.read()).messages.at(-1) ?? {};
    expect(message?.reply_markup?.inline_keyboard).toHaveLength(2);
    expect(message).not.toHaveProperty("reply_to_message");
  });

  it("send plain text when the markup is refused", async () => {
    const { api, chat, text } = await conversation();
    await api.send(text({ markup: "<nonsense>hello", plain: "hello" }));
    expect((await chat.read()).messages.at(-1)?.message).toMatchObject({ text: "hello" });
  });

  it("write into a topic of a group", async () => {
    const { api, botId, person, text } = await conversation();
    const group = await platform.group("Team", [person.id]);
    const chat = platform.chat(botId, group.id, person.id);
    await chat.say("hello", { topic: 7 });
    const place = { chatId: String(group.id), chatType: "group", threadId: "7" } as const;
    await api.send(text(plain("here"), { place }));
    await api.showTyping?.(place, undefined);
    expect(await chat.read()).toMatchObject({ isTyping: true });
    expect((await chat.read()).messages.at(-1)?.message).toMatchObject({ message_thread_id: 7 });
    const elsewhere = text(plain("x"), { place: { ...place, threadId: "8" } });
    expect(await failureOf(api.send(elsewhere))).toMatchObject({
      kind: "refused",
      message: "The topic of the chat no longer exists.",
    });
  });

  it("edit a text, remove its buttons, and delete it", async () => {
    const { api, chat, place, text } = await conversation();
    const { messageId = "" } = await api.send(
      text(plain("one"), { buttons: [{ label: "a", data: "a", style: undefined }] }),
    );
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
    const { messageId } = await api.send(
      text(plain("?"), { buttons: [{ label: "a", data: "a", style: undefined }] }),
    );
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
    const file = { place, replyTo: String(first), nonce: "n", bytes: PNG };
    await api.sendFile?.({ ...file, filename: "dot.png", mimeType: "image/png" });
    await api.sendFile?.({ ...file, filename: "naïve.csv", mimeType: "text/csv" });
    await api.sendFile?.({ ...file, filename: "no.png", mimeType: "image/png", bytes: new Uint8Array(3) });
    expect((await chat.read()).messages.slice(1).map(({ message }) => message)).toMatchObject([
      { photo: [{ file_size: PNG.byteLength }], reply_to_message: { message_id: first } },
      { document: { file_name: "naïve.csv", mime_type: "text/csv" } },
      { document: { file_name: "no.png" } },
    ]);
  });

  it("fetch what a person sent, up to a size", async () => {
    const { token, self, api, chat } = await conversation();
    await chat.sendFile({ kind: "voice", filename: "note.ogg", mimeType: "audio/ogg", bytes: PNG });
    const received = (await eventsOf({ token, self })).at(-1);
    const media = isMessage(received) ? received.media[0] : undefined;
    if (media?.kind !== "voice") throw new Error("Expected a voice message");
    expect(await api.download?.(media, PNG.byteLength)).toEqual({ bytes: PNG, mimeType: "audio/ogg" });
    expect(await failureOf(api.download?.(media, PNG.byteLength - 1))).toMatchObject({ kind: "refused" });
    const unknown = api.download?.({ ...media, reference: "unknown" }, 1_000);
    expect(await failureOf(unknown)).toMatchObject({ kind: "refused" });
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

describe("a failure", () => {
  it("is busy with the time that Telegram names", async () => {
    const { api, botId, text } = await conversation();
    await platform.setFaults(botId, [{ status: 429, description: "Too Many Requests", retryAfter: 7 }]);
    expect(await failureOf(api.send(text(plain("x"))))).toMatchObject({ kind: "busy", retryAfterSeconds: 7 });
  });

  it.each([
    ["a failing platform", { kind: "error", status: 502 }],
    ["garbage", { kind: "garbage" }],
    ["a lost answer", { kind: "lost" }],
  ])("is unreachable after %s, and a text may have been sent", async (_, fault) => {
    const { api, botId, text } = await conversation();
    await platform.setFaults(botId, [fault]);
    expect(await failureOf(api.send(text(plain("x"))))).toMatchObject({
      kind: "unreachable",
      mayHaveHappened: true,
    });
    await platform.setFaults(botId, [fault]);
    expect(await failureOf(api.identify())).toMatchObject({ kind: "unreachable", mayHaveHappened: false });
  });

  it("is refused by a person who blocked the bot, or never wrote to it", async () => {
    const { api, chat, text } = await conversation();
    const other = await platform.person("Di");
    const place = await api.directPlace(String(other.id));
    expect(await failureOf(api.send(text(plain("x"), { place })))).toMatchObject({ kind: "refused" });
    await chat.setMembership(false);
    expect(await failureOf(api.send(text(plain("x"))))).toMatchObject({
      kind: "refused",
      message: "The person blocked the bot.",
    });
  });

  it("does not end a send to a group that became a supergroup", async () => {
    const { api, botId, person, chat, text } = await conversation();
    await platform.setFaults(botId, [
      {
        status: 400,
        description: "Bad Request: group chat was upgraded to a supergroup chat",
        migrateTo: person.id,
      },
    ]);
    await api.send(text(plain("moved"), { place: { chatId: "-5", chatType: "group", threadId: undefined } }));
    expect((await chat.read()).messages.at(-1)?.message.text).toBe("moved");
  });
});
