import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { Api, Bot, GrammyError, InputFile } from "grammy";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startChatPlatform } from "#local/chat-platform/index.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";

const PNG = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);

const dataDir = mkdtempSync(path.join(tmpdir(), "chat-platform-"));
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

/** A bot of its own, and a new person who has started it. */
async function conversation() {
  const token = `standin:${(bots += 1)}`;
  const api = new Api(token, { apiRoot: server.url });
  const { id: botId, username } = await api.getMe();
  const person = await platform.person("Cy");
  const chat = platform.chat(botId, person.id, person.id);
  await chat.say("/start");
  return { token, api, botId, username, person, chat };
}

async function refusal(work: Promise<unknown>): Promise<GrammyError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GrammyError)) throw new Error(`Expected a GrammyError, not ${String(error)}`);
  return error;
}

describe("a bot", () => {
  it("is created by its first call, one for each token", async () => {
    const [one, other] = [await conversation(), await conversation()];
    expect(one.botId).not.toBe(other.botId);
    expect((await new Api(one.token, { apiRoot: server.url }).getMe()).id).toBe(one.botId);
    expect(one.username).toMatch(/^standin\d+_bot$/u);
  });

  it.each([
    ["123:secret", 401],
    ["nothing", 404],
  ])("does not exist with the token %s", async (token, code) => {
    const api = new Api(token, { apiRoot: server.url });
    expect(await refusal(api.getMe())).toMatchObject({ error_code: code });
  });

  it("runs with a real client, which gets messages and presses, and answers", async () => {
    const { token, chat } = await conversation();
    const bot = new Bot(token, { client: { apiRoot: server.url } });
    bot.command("start", (context) =>
      context.reply("<b>Hello</b>", {
        parse_mode: "HTML",
        reply_markup: { inline_keyboard: [[{ text: "Go", callback_data: "go" }]] },
      }),
    );
    bot.on("callback_query:data", async (context) => {
      await context.answerCallbackQuery(`You pressed ${context.callbackQuery.data}`);
      await context.editMessageText("Gone");
    });
    const running = bot.start();
    try {
      const greeting = await chat.until(({ messages }) =>
        messages.find(({ message }) => message.text === "Hello"),
      );
      expect(greeting.message).toMatchObject({
        entities: [{ type: "bold", offset: 0, length: 5 }],
        from: { is_bot: true },
      });
      await chat.press(greeting.message.message_id, "go");
      const { answer } = await chat.until(({ clicks }) => clicks.find((click) => click.answer !== undefined));
      expect(answer).toBe("You pressed go");
      const edited = await chat.until(({ messages }) =>
        messages.find(({ message }) => message.text === "Gone"),
      );
      expect(edited.message).not.toHaveProperty("reply_markup");
    } finally {
      await bot.stop();
      await running;
    }
  });
});

describe("a message of a bot", () => {
  it.each([
    ["<x>a</x>", /can't parse entities: Unsupported start tag "x" at byte offset 0/u],
    ["é<b>a", /can't parse entities: Can't find end tag corresponding to start tag "b"/u],
    [
      "é<b>a</i>",
      /can't parse entities: Unmatched end tag at byte offset 6, expected "<\/b>", found "<\/i>"/u,
    ],
    ["<b> </b>", /message text is empty/u],
    [`<b>${"a".repeat(4_097)}</b>`, /message is too long/u],
  ])("is refused with the text %#", async (text, description) => {
    const { api, person } = await conversation();
    const error = await refusal(api.sendMessage(person.id, text, { parse_mode: "HTML" }));
    expect(error).toMatchObject({ error_code: 400 });
    expect(error.description).toMatch(description);
  });

  it("has its limit counted without markup", async () => {
    const { api, person } = await conversation();
    const text = `<b>${"&amp;".repeat(4_096)}</b>`;
    const sent = await api.sendMessage(person.id, text, { parse_mode: "HTML" });
    expect(sent.text).toBe("&".repeat(4_096));
  });

  it("has the markup of its HTML", async () => {
    const { api, person } = await conversation();
    const html =
      '<i>a<b>b</b></i> <a href="https://x.test/?a=1&amp;b=2">c</a> <pre><code class="language-ts">d &lt; e</code></pre><blockquote>f</blockquote> <tg-spoiler>g</tg-spoiler>';
    const sent = await api.sendMessage(person.id, html, { parse_mode: "HTML" });
    expect(sent.text).toBe("ab c d < ef g");
    expect(sent.entities).toEqual([
      { type: "italic", offset: 0, length: 2 },
      { type: "bold", offset: 1, length: 1 },
      { type: "text_link", offset: 3, length: 1, url: "https://x.test/?a=1&b=2" },
      { type: "pre", offset: 5, length: 5, language: "ts" },
      { type: "blockquote", offset: 10, length: 1 },
      { type: "spoiler", offset: 12, length: 1 },
    ]);
  });

  it("replies to another, if there is one", async () => {
    const { api, person } = await conversation();
    const first = await api.sendMessage(person.id, "first");
    const reply = await api.sendMessage(person.id, "reply", {
      reply_parameters: { message_id: first.message_id },
    });
    expect(reply.reply_to_message).toMatchObject({ text: "first" });
    const missing = { message_id: 9_999 };
    expect(await refusal(api.sendMessage(person.id, "x", { reply_parameters: missing }))).toMatchObject({
      description: "Bad Request: message to be replied not found",
    });
    const alone = await api.sendMessage(person.id, "x", {
      reply_parameters: { ...missing, allow_sending_without_reply: true },
    });
    expect(alone).not.toHaveProperty("reply_to_message");
  });

  it("is edited, deleted and reacted to", async () => {
    const { token, api, person, chat } = await conversation();
    const sent = await api.sendMessage(person.id, "one");
    await api.editMessageText(person.id, sent.message_id, "two");
    expect(await refusal(api.editMessageText(person.id, sent.message_id, "two"))).toMatchObject({
      description: expect.stringContaining("message is not modified"),
    });
    const asked = await chat.say("hello");
    expect(await refusal(api.editMessageText(person.id, asked, "mine"))).toMatchObject({ error_code: 400 });
    await api.setMessageReaction(person.id, asked, [{ type: "emoji", emoji: "👀" }]);
    expect((await chat.read()).messages.at(-1)).toMatchObject({ reactions: ["👀"] });
    const invalid = await fetch(`${server.url}/bot${token}/setMessageReaction`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        chat_id: person.id,
        message_id: asked,
        reaction: [{ type: "emoji", emoji: "✅" }],
      }),
    });
    expect(await invalid.json()).toMatchObject({ description: "Bad Request: REACTION_INVALID" });
    await api.deleteMessage(person.id, sent.message_id);
    expect(await refusal(api.deleteMessage(person.id, sent.message_id))).toMatchObject({
      description: "Bad Request: message to delete not found",
    });
  });

  it("goes to nobody who did not write first, blocked the bot or is unknown", async () => {
    const { api, chat, person } = await conversation();
    const other = await platform.person("Di");
    expect(await refusal(api.sendMessage(other.id, "x"))).toMatchObject({ error_code: 403 });
    expect(await refusal(api.sendMessage(5, "x"))).toMatchObject({
      description: "Bad Request: chat not found",
    });
    await chat.setMembership(false);
    expect(await refusal(api.sendMessage(person.id, "x"))).toMatchObject({
      description: "Forbidden: bot was blocked by the user",
    });
    const kinds = (await api.getUpdates()).flatMap((update) => Object.keys(update));
    expect(kinds).toContain("my_chat_member");
    await chat.say("back again");
    await api.sendMessage(person.id, "x");
  });

  it("shows that the bot writes, until it has written", async () => {
    const { api, person, chat } = await conversation();
    await api.sendChatAction(person.id, "typing");
    expect((await chat.read()).isTyping).toBe(true);
    await api.sendMessage(person.id, "done");
    expect((await chat.read()).isTyping).toBe(false);
  });
});

describe("a group", () => {
  it("has messages of several people, in topics that exist", async () => {
    const { api, botId, person } = await conversation();
    const other = await platform.person("Di");
    const group = await platform.group("Team", [person.id, other.id]);
    await platform.chat(botId, group.id, person.id).say("@standin hello", { topic: 7 });
    await platform.chat(botId, group.id, other.id).say("/help");
    const [, hello, help] = await api.getUpdates();
    expect(hello?.message).toMatchObject({
      message_thread_id: 7,
      is_topic_message: true,
      chat: { id: group.id, type: "supergroup" },
      from: { id: person.id },
      entities: [{ type: "mention", offset: 0, length: 8 }],
    });
    expect(help?.message).toMatchObject({ from: { id: other.id }, entities: [{ type: "bot_command" }] });
    await api.sendMessage(group.id, "here", { message_thread_id: 7 });
    expect(await refusal(api.sendMessage(group.id, "x", { message_thread_id: 8 }))).toMatchObject({
      description: "Bad Request: message thread not found",
    });
    await platform.chat(botId, group.id, other.id).setMembership(false);
    expect(await refusal(api.sendMessage(group.id, "x"))).toMatchObject({
      description: "Forbidden: bot was kicked from the supergroup chat",
    });
  });
});

describe("a file", () => {
  it("of a bot is a photo or a document", async () => {
    const { api, botId, person } = await conversation();
    const { photo } = await api.sendPhoto(person.id, new InputFile(PNG, "dot.png"), {
      caption: "<b>dot</b>",
      parse_mode: "HTML",
    });
    const shown = await fetch(`${server.url}/bots/${botId}/files/${photo.at(-1)?.file_id}`);
    expect(new Uint8Array(await shown.arrayBuffer())).toEqual(PNG);
    const sent = await api.sendDocument(person.id, new InputFile(Buffer.from("<script>"), "page.html"));
    expect(sent.document).toMatchObject({ file_name: "page.html", file_size: 8 });
    const page = await fetch(`${server.url}/bots/${botId}/files/${sent.document.file_id}`);
    expect(page.headers.get("content-type")).toBe("application/octet-stream");
    expect(page.headers.get("content-disposition")).toMatch(/^attachment/u);
    const noImage = api.sendPhoto(person.id, new InputFile(Buffer.from("text"), "dot.png"));
    expect(await refusal(noImage)).toMatchObject({ description: "Bad Request: IMAGE_PROCESS_FAILED" });
  });

  it("of a person is fetched by its path", async () => {
    const { token, api, chat } = await conversation();
    await chat.sendFile({
      kind: "voice",
      filename: "note.ogg",
      mimeType: "audio/ogg",
      bytes: PNG,
      caption: "listen",
    });
    const [, update] = await api.getUpdates();
    expect(update?.message).toMatchObject({ caption: "listen", voice: { mime_type: "audio/ogg" } });
    const { file_path: at } = await api.getFile(update?.message?.voice?.file_id ?? "");
    const fetched = await fetch(`${server.url}/file/bot${token}/${at}`);
    expect(new Uint8Array(await fetched.arrayBuffer())).toEqual(PNG);
    const other = await conversation();
    expect((await fetch(`${server.url}/file/bot${other.token}/${at}`)).status).toBe(404);
  });
});

describe("updates", () => {
  it("stay until an offset confirms them", async () => {
    const { api, chat } = await conversation();
    await chat.say("two");
    const first = await api.getUpdates({ limit: 1 });
    expect(await api.getUpdates({ limit: 1 })).toEqual(first);
    const rest = await api.getUpdates({ offset: (first[0]?.update_id ?? 0) + 1 });
    expect(rest).toMatchObject([{ message: { text: "two" } }]);
    expect(await api.getUpdates({ offset: -1 })).toEqual(rest);
    expect(await api.getUpdates({ offset: (rest[0]?.update_id ?? 0) + 1 })).toEqual([]);
  });

  it("survive that the platform is killed, and messages do", async () => {
    const dir = mkdtempSync(path.join(tmpdir(), "chat-platform-"));
    const before = await startChatPlatform({ dataDir: dir });
    const api = new Api("standin", { apiRoot: before.url });
    const { id } = await api.getMe();
    const said = await new ChatPlatform(before.url).chat(id, 1001, 1001).say("remember");
    // Opened again beside the first, as after a kill: nothing was closed.
    const after = await startChatPlatform({ dataDir: dir });
    const again = new Api("standin", { apiRoot: after.url });
    expect(await again.getUpdates()).toMatchObject([{ message: { message_id: said, text: "remember" } }]);
    await Promise.all([before.close(), after.close()]);
    rmSync(dir, { recursive: true });
  });

  it("of kinds that the bot does not want are not kept", async () => {
    const { api, chat } = await conversation();
    await api.getUpdates({ allowed_updates: ["callback_query"] });
    await chat.say("unwanted");
    expect(await api.getUpdates()).toHaveLength(1);
  });

  it("come to a poll that waits, and an earlier poll ends", async () => {
    const { api, botId, chat } = await conversation();
    const [start] = await api.getUpdates();
    const offset = (start?.update_id ?? 0) + 1;
    const first = refusal(api.getUpdates({ offset, timeout: 50 }));
    await platform.untilPolled(botId);
    const second = api.getUpdates({ offset, timeout: 50 });
    expect(await first).toMatchObject({
      error_code: 409,
      description: expect.stringContaining("terminated by other"),
    });
    await chat.say("wake up");
    expect(await second).toMatchObject([{ message: { text: "wake up" } }]);
  });

  it("go to a webhook, again when it fails, and no poll gets them", async () => {
    const received: { secret: unknown; body: unknown }[] = [];
    let failures = 1;
    const hook = http.createServer((request, response) => {
      void (async () => {
        const body = await new Response(await request.toArray().then((parts) => Buffer.concat(parts))).json();
        const isFailure = failures > 0;
        failures -= 1;
        if (!isFailure) received.push({ secret: request.headers["x-telegram-bot-api-secret-token"], body });
        response.writeHead(isFailure ? 500 : 200).end();
      })();
    });
    hook.listen(0, "127.0.0.1");
    await once(hook, "listening");
    const address = hook.address();
    const url = `http://127.0.0.1:${address instanceof Object ? address.port : 0}/hook`;
    const { api, chat } = await conversation();
    await api.setWebhook(url, { secret_token: "a-secret" });
    expect(await refusal(api.getUpdates())).toMatchObject({ error_code: 409 });
    await chat.say("two");
    await expect.poll(() => received).toHaveLength(2);
    expect(received).toMatchObject([
      { secret: "a-secret", body: { message: { text: "/start" } } },
      { secret: "a-secret", body: { message: { text: "two" } } },
    ]);
    expect(await api.getWebhookInfo()).toMatchObject({
      url,
      last_error_message: expect.stringContaining("500"),
    });
    await api.deleteWebhook();
    hook.closeAllConnections();
    hook.close();
    await chat.say("three");
    expect(await api.getUpdates()).toMatchObject([{ message: { text: "three" } }]);
  });

  it.each(["ftp://x.test/", "nothing"])("go to no webhook at %s", async (url) => {
    const { api } = await conversation();
    expect(await refusal(api.setWebhook(url))).toMatchObject({ error_code: 400 });
  });
});

describe("a fault that a test asks for", () => {
  it("is met once", async () => {
    const { api, botId, person, chat } = await conversation();
    await platform.setFaults(botId, [
      { method: "sendMessage", status: 429, description: "Too Many Requests: retry after 3", retryAfter: 3 },
      { method: "sendMessage", kind: "lost" },
    ]);
    expect(await refusal(api.sendMessage(person.id, "x"))).toMatchObject({
      error_code: 429,
      parameters: { retry_after: 3 },
    });
    await expect(api.sendMessage(person.id, "lost")).rejects.toThrow("Network request");
    expect((await chat.read()).messages.at(-1)?.message.text).toBe("lost");
    await api.sendMessage(person.id, "x");
  });
});
