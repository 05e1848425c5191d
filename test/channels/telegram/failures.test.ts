import { describe, expect, it } from "vitest";
import { telegram } from "#src/channels/telegram/index.ts";
import { clickOn, dm, failureOf, outgoingText } from "../environment.ts";
import { scriptedEnvironment } from "../keeper.ts";
import { mediaAt } from "../platform-under-test.ts";

const TOKEN = "12345:AAsecretSecretSecret";
const PLACE = dm("7");
const TEXT = outgoingText(PLACE, "", { text: { markup: "<b>hello</b>", plain: "hello" } });

/** The calls of a bot whose requests get these responses, the last one again and again. */
function botWith(...responses: (() => Response | Promise<Response>)[]) {
  const seen: { url: string; body: unknown }[] = [];
  const environment = scriptedEnvironment((url, { body }) => {
    seen.push({ url, body: typeof body === "string" ? JSON.parse(body) : body });
    const respond = responses[Math.min(seen.length, responses.length) - 1];
    if (!respond) throw new Error("No response is left");
    return respond();
  });
  return { api: telegram.api({ bot_token: TOKEN }, environment), seen };
}

const good = (result: unknown) => () => Response.json({ ok: true, result });
const bad = (code: number, description: string, parameters?: object) => () =>
  Response.json({ ok: false, error_code: code, description, parameters }, { status: code });

describe("a failure at Telegram", () => {
  it.each([
    [
      "too many calls, of a proxy",
      () => new Response("slow down", { status: 429, headers: { "retry-after": "5" } }),
      { kind: "busy", retryAfterSeconds: 5 },
    ],
    ["a result of another shape", good({ id: "none" }), { kind: "unreachable", mayHaveHappened: true }],
    ["a page that is not there", () => new Response("not here", { status: 404 }), { kind: "unreachable" }],
    [
      "a redirect",
      () => new Response(null, { status: 302, headers: { location: "https://elsewhere.test" } }),
      { kind: "unreachable" },
    ],
    ["a token that never was", bad(404, "Not Found"), { kind: "unauthorized" }],
    [
      "a person who blocked the bot",
      bad(403, "Forbidden: bot was blocked by the user"),
      { kind: "refused", message: "The person blocked the bot." },
    ],
    [
      "a group that removed the bot",
      bad(403, "Forbidden: bot was kicked from the supergroup chat"),
      { kind: "refused", message: "The bot is no longer a member of the chat." },
    ],
    [
      "a deleted account",
      bad(403, "Forbidden: user is deactivated"),
      { kind: "refused", message: /no longer exists/u },
    ],
    [
      "a deleted topic",
      bad(400, "Bad Request: message thread not found"),
      { kind: "refused", message: /topic/u },
    ],
    [
      "a refusal without a reason",
      () => Response.json({ ok: false }, { status: 400 }),
      { kind: "refused", message: /no reason/u },
    ],
  ])("of %s has its kind and a sentence", async (_, response, expected) => {
    const { message, ...rest } = { message: /./u, ...expected };
    const failure = await failureOf(botWith(response).api.send(TEXT));
    expect(failure).toMatchObject(rest);
    expect(failure.message).toMatch(message);
  });

  it("shows nothing of the token, not even in what it quotes", async () => {
    const refusal = await failureOf(botWith(bad(400, `Bad Request: STRANGE\n${TOKEN}`)).api.send(TEXT));
    expect(refusal.message).toBe("Telegram refused: STRANGE ….");
    const cut = () =>
      Promise.reject(new TypeError(`fetch failed: https://telegram.test/bot${TOKEN}/sendMessage`));
    const error = await failureOf(botWith(cut).api.send(TEXT));
    expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain("secretSecret");
  });
});

it("sends plain text when the markup is refused, once", async () => {
  const refusal = bad(400, 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0');
  const refused = botWith(refusal);
  expect(await failureOf(refused.api.send(TEXT))).toMatchObject({ kind: "refused" });
  expect(refused.seen.map(({ body }) => body)).toMatchObject([{ text: "<b>hello</b>" }, { text: "hello" }]);
  const { api, seen } = botWith(refusal, good({ message_id: 5 }));
  expect(await api.send(TEXT)).toEqual({ messageId: "5" });
  expect(seen[1]?.body).not.toHaveProperty("parse_mode");
});

it("sends to the supergroup that a group became", async () => {
  const moved = bad(400, "Bad Request: group chat was upgraded to a supergroup chat", {
    migrate_to_chat_id: -1001,
  });
  const { api, seen } = botWith(moved, good({ message_id: 5 }));
  expect(await api.send(TEXT)).toEqual({ messageId: "5" });
  expect(seen.map(({ body }) => body)).toMatchObject([{ chat_id: "7" }, { chat_id: "-1001" }]);
  expect((await failureOf(botWith(moved).api.send(TEXT))).message).toMatch(/supergroup/u);
});

it.each([
  ["an unchanged text", "message is not modified: the same", "edit"],
  ["a message that is gone", "message to delete not found", "remove"],
] as const)("takes %s for done", async (_, description, method) => {
  const { api } = botWith(bad(400, `Bad Request: ${description}`));
  await api[method]?.({ place: PLACE, messageId: "5", text: TEXT.text });
  const other = botWith(bad(400, "Bad Request: something else"));
  const call = other.api[method]?.({ place: PLACE, messageId: "5", text: TEXT.text });
  expect(await failureOf(call)).toMatchObject({ kind: "refused" });
});

it("takes a click that is too old for confirmed", async () => {
  const sentence = "Bad Request: query is too old and response timeout expired or query ID is invalid";
  const { api, seen } = botWith(bad(400, sentence));
  await api.confirmClick?.(clickOn("5", PLACE, "1"), "Done");
  expect(seen).toHaveLength(1);
});

it("sends a document when Telegram takes an image for no photo", async () => {
  const { api, seen } = botWith(bad(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"), good({ message_id: 5 }));
  const image = { place: PLACE, replyTo: undefined, nonce: "n", filename: "long.png", mimeType: "image/png" };
  expect(await api.sendFile?.({ ...image, bytes: new Uint8Array(3) })).toEqual({ messageId: "5" });
  expect(seen.map(({ url }) => url.split("/").at(-1))).toEqual(["sendPhoto", "sendDocument"]);
});

describe("a download", () => {
  const voice = mediaAt("f1", "audio/ogg");
  const described = good({ file_id: "f1", file_path: "voice/file_1.oga", file_size: 3 });

  it("fetches the file of the bot", async () => {
    const { api, seen } = botWith(described, () => new Response("abc"));
    const { bytes, mimeType } = (await api.download?.(voice, 3)) ?? {};
    expect(new TextDecoder().decode(bytes)).toBe("abc");
    expect(mimeType).toBe("audio/ogg");
    expect(seen[1]?.url).toBe(`https://telegram.test/file/bot${TOKEN}/voice/file_1.oga`);
  });

  const PATHS =
    "../../bot1/getMe /etc/passwd https://elsewhere.test/x //elsewhere.test/x a?b a#b a/../b %2e%2e/b @elsewhere.test/b";
  it.each([...PATHS.split(" "), ""])("fetches nothing from the path %s", async (path) => {
    const { api, seen } = botWith(good({ file_path: path }), () => new Response("abc"));
    await failureOf(api.download?.(voice, 3));
    expect(seen).toHaveLength(1);
  });

  it.each([
    ["announced as too large", [good({ file_path: "a", file_size: 4 })]],
    ["larger than announced", [described, () => new Response("abcd")]],
    ["too large for the Bot API", [bad(400, "Bad Request: file is too big")]],
    ["no longer there", [described, () => new Response("", { status: 404 })]],
    ["somewhere else", [described, () => Response.redirect("https://elsewhere.test/", 302)]],
  ])("refuses a file that is %s", async (_, responses) => {
    expect(await failureOf(botWith(...responses).api.download?.(voice, 3))).toMatchObject({
      kind: "refused",
    });
  });
});

it("keeps the webhook's secret out of its failure", async () => {
  const url = "https://service.test/hook?secret=secretSecret";
  const { api, seen } = botWith(bad(400, `Bad Request: bad webhook: ${url} secretSecret`));
  const failure = await failureOf(api.registerWebhook?.(url, "secretSecret"));
  expect(failure.kind).toBe("refused");
  expect(`${failure.message} ${failure.stack}`).not.toContain("secretSecret");
  expect(seen[0]?.body).toEqual({
    url,
    secret_token: "secretSecret",
    allowed_updates: ["message", "edited_message", "callback_query", "my_chat_member"],
  });
});
