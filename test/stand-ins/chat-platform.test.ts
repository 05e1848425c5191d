import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { Api, Bot, GrammyError, InputFile } from "grammy";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startChatPlatform } from "#stand-ins/chat-platform/index.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";
import { CHROMIUM, startChromium } from "#test/support/chromium.ts";
import { png } from "#test/support/pictures.ts";

/* What a bot of the service sends is tried there by test/channels/telegram/api.test.ts. */

const PNG = Uint8Array.from(png(1, 1));

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
});

describe("a message of a bot", () => {
  it.each([
    ["<x>a</x>", /can't parse entities: Unsupported start tag "x" at byte offset 0/u],
    ["é<b>a", /can't parse entities: Can't find end tag corresponding to start tag "b"/u],
    ["<b> </b>", /message text is empty/u],
    [`<b>${"a".repeat(4_097)}</b>`, /message is too long/u],
  ])("is refused with the text %#", async (text, description) => {
    const { api, person } = await conversation();
    const error = await refusal(api.sendMessage(person.id, text, { parse_mode: "HTML" }));
    expect(error).toMatchObject({ error_code: 400, description: expect.stringMatching(description) });
  });

  it("may have a file, which no page shows, and a person's is for this bot alone", async () => {
    const { token, api, botId, person, chat } = await conversation();
    const sent = await api.sendDocument(person.id, new InputFile(Buffer.from("<script>"), "page.html"));
    const page = await fetch(`${server.url}/bots/${botId}/files/${sent.document.file_id}`);
    expect(page.headers.get("content-type")).toBe("application/octet-stream");
    expect(page.headers.get("content-disposition")).toMatch(/^attachment/u);
    await chat.sendFile({ kind: "voice", filename: "note.ogg", mimeType: "audio/ogg", bytes: PNG });
    const [, update] = await api.getUpdates();
    const { file_path: at } = await api.getFile(update?.message?.voice?.file_id ?? "");
    const fetched = await fetch(`${server.url}/file/bot${token}/${at}`);
    expect(new Uint8Array(await fetched.arrayBuffer())).toEqual(PNG);
    const other = await conversation();
    expect((await fetch(`${server.url}/file/bot${other.token}/${at}`)).status).toBe(404);
  });
});

describe("a page of another site", () => {
  it.each([
    ["by its origin", { origin: "https://elsewhere.test" }],
    ["without an origin", { origin: "null" }],
    ["by what the browser says", { "sec-fetch-site": "cross-site" }],
    ["by a name that leads here", { host: "elsewhere.test" }],
  ])("is refused, known %s", async (_, headers) => {
    for (const at of ["/", "/bots", "/botstandin/getMe"]) {
      // `fetch` keeps these headers to itself.
      const request = http.get(`${server.url}${at}`, { headers });
      const [response]: http.IncomingMessage[] = await once(request, "response");
      response?.resume();
      expect(response?.statusCode).toBe(403);
    }
  });

  it("cannot write with a form", async () => {
    const response = await fetch(`${server.url}/people`, { method: "POST", body: '{"name":"Eve"}' });
    expect(response.status).toBe(400);
  });
});

if (CHROMIUM === undefined) {
  process.stderr.write("No Chromium in the PATH: the page of the chat platform is not tried in a browser.\n");
}

/** A condition of the page: something there has this text. */
const shows = (selector: string, text: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].some((each) => each.textContent.includes(${JSON.stringify(text)}))`;

describe.skipIf(CHROMIUM === undefined)("the page of the chat platform", () => {
  let chromium: Awaited<ReturnType<typeof startChromium>>;
  let own: Awaited<ReturnType<typeof startChatPlatform>>;
  const ownDir = mkdtempSync(path.join(tmpdir(), "chat-platform-"));
  beforeAll(async () => {
    [chromium, own] = await Promise.all([startChromium(), startChatPlatform({ dataDir: ownDir })]);
  });
  afterAll(async () => {
    await chromium.close();
    await own.close();
    rmSync(ownDir, { recursive: true });
  });

  it("has a person write, read the answer, press its button and send a picture, and runs no script but its own", async () => {
    const policy = (await fetch(own.url)).headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/script-src 'nonce-[\w-]+'/u);
    const tab = await chromium.newTab();
    await tab.go(own.url);
    await tab.until(shows("#empty", "There is no bot yet"));
    const api = new Api("standin", { apiRoot: own.url });
    const me = await api.getMe();
    await tab.until(shows("#bot", me.username));
    await tab.type("#text", "hello <b>bot</b>");
    await tab.click("#form button");
    await tab.until(shows(".message.own .text", "hello <b>bot</b>"));
    const [update] = await api.getUpdates();
    expect(update?.message).toMatchObject({ text: "hello <b>bot</b>", from: { first_name: "Ada" } });

    const html = '<b>bold <i>both</i></b> <a href="https://x.test/">link</a> <pre>code</pre>';
    await api.sendMessage(1001, html, {
      parse_mode: "HTML",
      reply_parameters: { message_id: update?.message?.message_id ?? 0 },
      reply_markup: { inline_keyboard: [[{ text: "Go on", callback_data: "go" }]] },
    });
    await tab.until(shows(".keys button", "Go on"));
    expect(await tab.read("document.querySelector('.message:not(.own) .text').innerHTML")).toBe(
      '<b>bold <i>both</i></b> <a href="https://x.test/" target="_blank" rel="noreferrer">link</a> <pre>code</pre>',
    );
    expect(await tab.read(shows(".quoted", "hello <b>bot</b>"))).toBe(true);
    await tab.click(".keys button");
    const chat = new ChatPlatform(own.url).chat(me.id, 1001, 1001);
    const { id: clickId } = await chat.until(({ clicks }) => clicks.at(-1));
    await api.answerCallbackQuery(clickId, { text: "Going on" });
    await tab.until(shows("#state", "The bot says: Going on"));

    await tab.read(`(() => {
      const png = Uint8Array.from(atob("${Buffer.from(PNG).toString("base64")}"), (c) => c.charCodeAt(0));
      const chosen = new DataTransfer();
      chosen.items.add(new File([png], "dot.png", { type: "image/png" }));
      const field = document.querySelector("#file");
      field.files = chosen.files;
      return field.onchange();
    })()`);
    await tab.until("document.querySelector('.message.own img')?.naturalWidth === 1");
    expect((await api.getUpdates()).at(-1)).toMatchObject({ message: { photo: [{}] } });
    expect(tab.complaints).toEqual([]);
  });
});
