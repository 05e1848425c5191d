import http from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api } from "grammy";
import { startChatPlatform } from "#local/chat-platform/index.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";
import { CHROMIUM, startChromium } from "#test/support/chromium.ts";

const dataDir = mkdtempSync(path.join(tmpdir(), "chat-platform-"));
let server: Awaited<ReturnType<typeof startChatPlatform>>;

beforeAll(async () => {
  server = await startChatPlatform({ dataDir });
});
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

describe("a page of another site", () => {
  it.each([
    ["by its origin", { origin: "https://elsewhere.test" }],
    ["without an origin", { origin: "null" }],
    ["by what the browser says", { "sec-fetch-site": "cross-site" }],
    ["by a name that leads here", { host: "elsewhere.test" }],
  ])("is refused, known %s", async (_, headers) => {
    for (const at of ["/", "/bots", "/botstandin/getMe"]) {
      expect(await statusOf(at, headers)).toBe(403);
    }
  });

  it("cannot write with a form", async () => {
    const response = await fetch(`${server.url}/people`, { method: "POST", body: '{"name":"Eve"}' });
    expect(response.status).toBe(400);
  });
});

it("serves its page, which runs no script but its own", async () => {
  const response = await fetch(server.url);
  const policy = response.headers.get("content-security-policy") ?? "";
  const nonce = /script-src 'nonce-([\w-]+)'/u.exec(policy)?.[1] ?? "none";
  expect(await response.text()).toContain(`<script type="module" nonce="${nonce}">`);
});

/** With headers that `fetch` keeps to itself. */
async function statusOf(at: string, headers: Record<string, string>): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  http
    .get(`${server.url}${at}`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
    .once("error", reject);
  return promise;
}

if (CHROMIUM === undefined) {
  process.stderr.write("No Chromium in the PATH: the page of the chat platform is not tried in a browser.\n");
}

/** A condition of the page: something there has this text. */
const shows = (selector: string, text: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].some((each) => each.textContent.includes(${JSON.stringify(text)}))`;

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  let chromium: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(async () => {
    await chromium.close();
  });

  it("a person writes to the bot, sees its answer, presses its button and reads what it says; another one sends a picture to the group", async () => {
    const tab = await chromium.newTab();
    await tab.go(server.url);
    await tab.until(shows("#empty", "There is no bot yet"));
    const api = new Api("standin", { apiRoot: server.url });
    await tab.read(
      "{ const { fetch } = window; window.fetch = (url, init) => String(url).endsWith('/chats') ? new Promise(() => {}) : fetch(url, init); }",
    );
    const me = await api.getMe();
    await tab.until(shows("#bot", me.username));
    expect(await tab.read("document.querySelector('#form button').disabled")).toBe(true);
    await tab.go(server.url);
    await tab.until(shows("#bot", me.username));
    await tab.type("#text", "hello <b>bot</b>");
    await tab.click("#form button");
    await tab.until(shows(".message.own .text", "hello <b>bot</b>"));
    const [update] = await api.getUpdates();
    const id = update?.message?.message_id ?? 0;
    expect(update?.message).toMatchObject({ text: "hello <b>bot</b>", from: { first_name: "Ada" } });

    // It is shown for five seconds, in which a busy machine may not look.
    const typing = setInterval(() => void api.sendChatAction(1001, "typing").catch(() => {}), 1_000);
    await tab.until(shows("#state", "The bot is typing"));
    clearInterval(typing);
    await api.setMessageReaction(1001, id, [{ type: "emoji", emoji: "👀" }]);
    await tab.until(shows(".message.own", "👀"));
    const html = '<b>bold <i>both</i></b> <a href="https://x.test/">link</a> <pre>code</pre>';
    const sent = await api.sendMessage(1001, html, {
      parse_mode: "HTML",
      reply_parameters: { message_id: id },
      reply_markup: { inline_keyboard: [[{ text: "Go on", callback_data: "go" }]] },
    });
    await tab.until(shows(".keys button", "Go on"));
    expect(await tab.read("document.querySelector('.message:not(.own) .text').innerHTML")).toBe(
      '<b>bold <i>both</i></b> <a href="https://x.test/" target="_blank" rel="noreferrer">link</a> <pre>code</pre>',
    );
    expect(await tab.read(shows(".quoted", "hello <b>bot</b>"))).toBe(true);
    await tab.click(".keys button");
    const platform = new ChatPlatform(server.url);
    const { id: clickId } = await platform.chat(me.id, 1001, 1001).until(({ clicks }) => clicks.at(-1));
    await api.answerCallbackQuery(clickId, { text: "Going on" });
    await tab.until(shows("#state", "The bot says: Going on"));
    await api.editMessageText(1001, sent.message_id, "changed");
    await tab.until(shows(".message:not(.own) .text", "changed"));
    expect(await tab.read("document.querySelectorAll('.keys button').length")).toBe(0);

    // Another person writes in the group, and sends a picture.
    await tab.go(server.url);
    await tab.until(shows("#chat", "Ada, Ben and the bot"));
    const choose = (field: string, label: string) =>
      tab.read(`(() => {
        const field = document.querySelector("${field}");
        field.value = [...field.options].find(({ textContent }) => textContent === "${label}").value;
        return field.onchange();
      })()`);
    await choose("#chat", "Ada, Ben and the bot");
    await choose("#person", "Ben");
    await tab.type("#topic", "7");
    await tab.type("#text", "from Ben");
    await tab.click("#form button");
    await tab.until(shows(".message.own .text", "from Ben"));
    await tab.read(`(() => {
      const png = Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="), (c) => c.charCodeAt(0));
      const chosen = new DataTransfer();
      chosen.items.add(new File([png], "dot.png", { type: "image/png" }));
      const field = document.querySelector("#file");
      field.files = chosen.files;
      return field.onchange();
    })()`);
    await tab.until("document.querySelector('.message.own img')?.naturalWidth === 1");
    const updates = await api.getUpdates();
    expect(updates.slice(-2)).toMatchObject([
      { message: { text: "from Ben", message_thread_id: 7, from: { first_name: "Ben" } } },
      { message: { photo: [{}], from: { first_name: "Ben" } } },
    ]);
    expect(tab.complaints).toEqual([]);
  });
});
