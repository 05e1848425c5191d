import { describe, expect, it } from "vitest";
import { telegram } from "#src/channels/telegram/index.ts";
import { channelContract } from "../contract.ts";
import { dm as placeOf } from "../environment.ts";
import { NOW, post, receivedMessage } from "../requests.ts";

const SECRET = "5f2b9d0c".repeat(8);
const credentials = { bot_token: "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw" };
const self = { botId: "110201543", botName: "teamBot" };

const ann = { id: 7, is_bot: false, first_name: "Ann", last_name: "Lee", username: "annlee" };
const bot = { id: 110_201_543, is_bot: true, first_name: "Team", username: "teamBot" };
const dm = { id: 7, type: "private", first_name: "Ann", username: "annlee" };
const group = { id: -100_123, type: "supergroup", title: "Team" };
const base = { message_id: 42, from: ann, chat: dm, date: 1_699_999_990 };
const mention = { offset: 0, length: 8, type: "mention" };

const read = (update: object) => telegram.parse(post({ update_id: 9, ...update }), self, NOW).events;
const message = (fields: object) => read({ message: { ...base, ...fields } });

channelContract({
  adapter: telegram,
  secrets: { credentials, webhookSecret: SECRET },
  missing: { credentials, webhookSecret: "" },
  wrong: { credentials, webhookSecret: `${SECRET.slice(1)}0` },
  bodies: [
    JSON.stringify({ update_id: 9, message: { ...base, text: "hi", reply_to_message: base } }),
    JSON.stringify({
      update_id: 9,
      callback_query: { id: "1", from: ann, message: base, data: "approve:1:deny" },
    }),
  ],
  headers: { "content-type": "application/json" },
  sign: async () => ({ "x-telegram-bot-api-secret-token": SECRET }),
  signs: { body: false, time: false },
});

describe("a Telegram message", () => {
  it("in private", () => {
    expect(message({ text: "hello" })).toEqual([
      receivedMessage({
        id: "7:42",
        messageId: "42",
        place: placeOf("7"),
        sender: { id: "7", alternateId: undefined, name: "annlee" },
        text: "hello",
      }),
    ]);
  });

  it.each([
    ["@teamBot hi", { entities: [mention] }, "hi", true],
    ["hi @teambot!", {}, "hi !", true],
    ["hi @teambot2", {}, "hi @teambot2", false],
    ["write to me@teambot", {}, "write to me@teambot", false],
    ["/new@teamBot now", {}, "/new now", true],
    ["/new@otherbot", {}, "/new@otherbot", false],
    ["/new", {}, "/new", false],
    ["Team hi", { entities: [{ type: "text_mention", offset: 0, length: 4, user: bot }] }, "hi", true],
    ["Ann hi", { entities: [{ type: "text_mention", offset: 0, length: 3, user: ann }] }, "Ann hi", false],
    ["I agree", { reply_to_message: { ...base, from: bot, text: "Shall I?" } }, "I agree", true],
    ["I agree", { reply_to_message: { ...base, text: "Shall I?" } }, "I agree", false],
    ["hi", { reply_to_message: { ...base, from: bot, forum_topic_created: {} } }, "hi", false],
  ])("in a group, %j with %j", (text, fields, expected, isAddressed) => {
    expect(message({ chat: group, text, ...fields })).toMatchObject([
      { text: expected, isAddressed, place: { chatId: "-100123", chatType: "group" } },
    ]);
  });

  it("that only mentions the bot is a message", () => {
    expect(message({ chat: group, text: "@teamBot", entities: [mention] })).toMatchObject([{ text: "" }]);
  });

  it("names the message that it replies to, or the part that was marked", () => {
    const repliedTo = { ...base, message_id: 40, from: bot, text: "x".repeat(300) };
    expect(message({ text: "a", reply_to_message: repliedTo })).toMatchObject([
      { replyTo: { id: "40", text: "x".repeat(200) } },
    ]);
    expect(message({ text: "a", reply_to_message: repliedTo, quote: { text: "part" } })).toMatchObject([
      { replyTo: { id: "40", text: "part" } },
    ]);
    expect(
      message({ text: "a", reply_to_message: { ...base, message_id: 3, forum_topic_created: {} } }),
    ).toMatchObject([{ replyTo: undefined }]);
  });

  it("of a forum has the topic, and of a reply in a plain group has none", () => {
    const topic = { chat: group, text: "a", message_thread_id: 3 };
    expect(message({ ...topic, is_topic_message: true })).toMatchObject([{ place: { threadId: "3" } }]);
    expect(message(topic)).toMatchObject([{ place: { threadId: undefined } }]);
  });

  it.each([
    [{ voice: { file_id: "v", mime_type: "audio/ogg", duration: 3 } }, "voice", "v", "audio/ogg"],
    [{ audio: { file_id: "a", mime_type: "audio/mpeg" } }, "voice", "a", "audio/mpeg"],
    [
      { photo: [900, 90].map((size) => ({ file_id: `${size}`, file_size: size })) },
      "image",
      "900",
      "image/jpeg",
    ],
    [{ document: { file_id: "d", mime_type: "image/png" } }, "image", "d", "image/png"],
    [{ video_note: { file_id: "n", length: 240, duration: 3 } }, "document", "n", "video/mp4"],
  ])("with a file: %j", (fields, kind, reference, mimeType) => {
    expect(message({ ...fields, caption: "see" })).toMatchObject([
      { text: "see", media: [{ kind, reference, mimeType }] },
    ]);
    expect(message(fields)).toMatchObject([{ text: "" }]);
  });

  it.each([
    ["sticker", { sticker: { file_id: "s", type: "regular", width: 512, height: 512, emoji: "👍" } }],
    [
      "venue",
      { location: { latitude: 52.5, longitude: 13.4 }, venue: { title: "Zoo", address: "Hardenbergplatz" } },
    ],
    ["contact", { contact: { phone_number: "+1650", first_name: "Bob" } }],
    ["poll", { poll: { id: "1", question: "Tulips?", options: [], type: "regular" } }],
    ["paid media", { paid_media: { star_count: 1, paid_media: [] } }],
  ])("with a %s tells that it is not taken, once", (name, fields) => {
    expect(message(fields)).toMatchObject([
      { text: "", media: [{ kind: "other", name }], isAddressed: true },
    ]);
    expect(message({ ...fields, chat: group })).toMatchObject([{ isAddressed: false }]);
  });

  it.each([
    ["of a bot", { text: "a", from: bot }],
    ["of an anonymous administrator", { text: "a", chat: group, sender_chat: group }],
    ["without a sender", { text: "a", from: undefined }],
    ["of a channel", { text: "a", chat: { id: -1, type: "channel" } }],
    ["of the service", { chat: group, new_chat_members: [bot] }],
    ["of the service in private", { pinned_message: { ...base, text: "a" } }],
  ])("%s is ignored", (_, fields) => {
    expect(message(fields)).toEqual([]);
  });

  it("has no control characters, no endless text and a name on one line", () => {
    const long = message({
      text: `\u0000a\tb\nc\u0007\u009B ${"x".repeat(9_000)}`,
      from: { ...ann, username: undefined, first_name: "A\nB", last_name: undefined },
    });
    expect(long).toMatchObject([{ sender: { name: "A B" } }]);
    const text = long[0]?.kind === "message" ? long[0].text : "";
    expect(text).toMatch(/^a\tb\nc x+\.\.\. \(truncated\)$/u);
    expect(text).toHaveLength(8_000 + "... (truncated)".length);
  });
});

describe("another Telegram update", () => {
  it("a button is a click, confirmed by the query's id", () => {
    const update = { callback_query: { id: "77", from: ann, message: base, data: "approve:1:deny" } };
    expect(read(update)).toEqual([
      {
        kind: "click",
        id: "77",
        place: placeOf("7"),
        sender: { id: "7", alternateId: undefined, name: "annlee" },
        data: "approve:1:deny",
        messageId: "42",
        confirmation: "77",
      },
    ]);
  });

  it.each([
    ["kicked", dm, "dm"],
    ["left", group, "group"],
    ["restricted", { ...group, is_member: false }, "group"],
  ])("a bot that is %s was removed", (status, chat, chatType) => {
    const update = {
      my_chat_member: { chat, from: ann, date: 1, new_chat_member: { status, user: bot, is_member: false } },
    };
    expect(read(update)).toEqual([
      {
        kind: "removal",
        id: "update:9",
        place: { chatId: String(chat.id), chatType, threadId: undefined },
      },
    ]);
  });

  it.each([
    { edited_message: { ...base, text: "hi" } },
    { channel_post: { ...base, text: "hi" } },
    { my_chat_member: { chat: dm, new_chat_member: { status: "member", user: bot } } },
    { callback_query: { id: "7", from: ann, inline_message_id: "1", data: "a" } },
    { message: { message_id: "what" } },
    { poll: {} },
  ])("%j is ignored", (update) => {
    expect(read(update)).toEqual([]);
  });

  it("that has no id is refused", () => {
    expect(() => telegram.parse(post({ message: base }), self, NOW)).toThrow("Not the JSON");
  });
});

it("Telegram's token cannot lead its address elsewhere", () => {
  for (const token of ["", "a/../b", "a b", "1:2?x", "1:2\n"]) {
    const isValid = telegram.credentials.safeParse({ bot_token: token }).success;
    expect({ token, isValid }).toEqual({ token, isValid: token === "1:2\n" });
  }
  expect(telegram.credentials.safeParse({}).success).toBe(false);
});
