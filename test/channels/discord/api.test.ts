import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Button, ChannelApi, Place } from "#src/channels/channel.ts";
import { replyToInteraction } from "#src/channels/discord/api.ts";
import { discord } from "#src/channels/discord/index.ts";
import { adapters } from "#src/channels/index.ts";
import { type DiscordMock, startDiscord } from "#test/support/platforms/discord.ts";
import { apiContract } from "../api-contract.ts";
import { button, clickOn, environmentAt, failureOf, outgoingText } from "../environment.ts";
import { mediaAt, troubles } from "../platform-under-test.ts";

apiContract({
  label: "Discord",
  render: (markdown) => adapters.discord.render(markdown),
  reads: ({ markup }) => markup,
  has: ["network", "threads", "replies", "downloads", "downloadsByAddress"],
  async start() {
    const platform = await startDiscord();
    const place: Place = {
      chatId: platform.addChannel(),
      chatType: "group",
      threadId: undefined,
    };
    const { bot_token: token } = platform.credentials;
    const ann = platform.person("ann");
    const messageId = platform.say({ channelId: place.chatId, text: "hi", author: ann });
    const sent = ({ threadId, chatId }: Place) => platform.sent(threadId ?? chatId);
    return {
      api: adapters.discord.api(platform.credentials, environmentAt("discord", platform.url)),
      secrets: [token],
      place,
      thread: { ...place, threadId: platform.addChannel() },
      message: { messageId, sender: { id: ann.id, alternateId: undefined, name: ann.username } },
      texts: (at) => sent(at).map(({ content, replyTo }) => ({ text: content, replyTo })),
      files: (at) => sent(at).flatMap(({ files }) => files.map(({ bytes }) => bytes)),
      trouble: troubles(platform, {
        unauthorized: { status: 401, json: { message: "401: Unauthorized", code: 0 } },
        refused: { status: 400, json: { message: `Invalid ${token}`, code: 50_035 } },
      }),
      callCount: () => platform.calls.length,
      file(bytes) {
        const files = [{ filename: "a.png", mimeType: "image/png", bytes: Buffer.from(bytes) }];
        const id = platform.say({ channelId: place.chatId, text: "", files });
        return mediaAt(platform.fileUrl(id));
      },
      fileAt: mediaAt,
      close: () => platform.close(),
    };
  },
});

let channelId: string;
let place: Place;
const platform = await startDiscord();
afterAll(() => platform.close());
beforeEach(() => {
  channelId = platform.addChannel();
  place = { chatId: channelId, chatType: "group", threadId: undefined };
});

const environment = () => environmentAt("discord", platform.url);
const api = (changed: Partial<DiscordMock["credentials"]> = {}): ChannelApi =>
  discord.api({ ...platform.credentials, ...changed }, environment());
const text = (markup: string, parts: Parameters<typeof outgoingText>[2] = {}) =>
  outgoingText(place, markup, parts);
const sent = () => platform.sent(channelId);

describe("a Discord bot", () => {
  it("is who its application says", async () => {
    const { id: botId, username: botName } = platform.bot;
    expect(await api().identify()).toEqual({ botId, botName, appId: expect.any(String) });
  });

  it.each([
    ["the id of another application", { application_id: "1234567890" }],
    ["the key of another application", { public_key: "3d".repeat(32) }],
  ])("with %s is unauthorized", async (_, changed) => {
    expect(await failureOf(api(changed).identify())).toMatchObject({ kind: "unauthorized" });
  });
});

describe("a text to Discord", () => {
  it("notifies no one, whatever is in it", async () => {
    const { messageId } = await api().send(text("@everyone and <@123>"));
    expect(sent()).toMatchObject([{ id: messageId, content: "@everyone and <@123>", pings: [] }]);
    await api().edit?.({ place, messageId: messageId ?? "", text: { markup: "@here", plain: "" } });
    expect(sent()).toMatchObject([{ content: "@here", pings: [] }]);
  });

  it("is silent and has its buttons in rows of five", async () => {
    const buttons = ["1", "2", "3", "4", "5"].map((data) => button(data));
    const last: Button = { label: "x".repeat(100), data: "6", style: "danger" };
    await api().send(text("Answer", { isSilent: true, buttons: [...buttons, last] }));
    expect(sent()).toMatchObject([{ flags: 1 << 12, components: [{}, {}] }]);
    expect(sent()[0]?.components[1]?.components).toEqual([
      { type: 2, style: 4, label: "x".repeat(80), custom_id: "6" },
    ]);
  });

  it("is sent although the message that it replies to is gone", async () => {
    await api().send(text("Answer", { replyTo: "123" }));
    expect(sent()).toMatchObject([{ content: "Answer", replyTo: undefined }]);
  });

  it("follows typing and reactions", async () => {
    const messageId = platform.say({ channelId, text: "Hello" });
    await api().showTyping?.(place, messageId);
    expect(platform.typing(channelId)).toBe(1);
    const { sender } = clickOn(messageId, place, "");
    for (const emoji of ["👀", "✅"]) await api().react?.({ place, messageId, sender }, emoji);
    expect(platform.message(messageId)?.reactions).toEqual(["👀", "✅"]);
  });
});

describe("a file to Discord", () => {
  it("arrives once, with its name and its type", async () => {
    const bytes = Uint8Array.from({ length: 1_000 }, (_, at) => at);
    const named = { nonce: "file-nonce", filename: "ä b.png", mimeType: "image/png" };
    const file = { place, replyTo: undefined, ...named, bytes };
    await api().sendFile?.(file);
    await api().sendFile?.(file);
    const { filename, mimeType } = file;
    expect(sent()).toMatchObject([{ files: [{ filename, mimeType, bytes: Buffer.from(bytes) }] }]);
  });

  it("is refused when it is larger than Discord takes", async () => {
    const bytes = new Uint8Array(10 * 1024 * 1024 + 1);
    const file = { place, replyTo: undefined, nonce: "n", filename: "a", mimeType: "text/plain", bytes };
    expect(await failureOf(api().sendFile?.(file))).toMatchObject({
      kind: "refused",
      message: "The file is larger than Discord takes (Discord error 40005).",
    });
  });
});

describe("a reply to a command", () => {
  it("takes the place of the reply that the person waits for, once", async () => {
    const { id, token } = await platform.command(channelId, "new");
    const reply = () => replyToInteraction(environment(), { id, token }, { type: 5 });
    expect([await reply(), await reply()]).toEqual([true, false]);
    const message = text("Done", { replyTarget: token });
    const { messageId } = await api().send(message);
    await api().send(message);
    expect(sent()).toMatchObject([{ id: messageId, content: "Done" }]);
    const withToken = platform.calls.filter(({ path }) => path.includes(token));
    expect(withToken.filter(({ headers }) => headers["authorization"] !== undefined)).toEqual([]);
    platform.expireInteractions();
    expect(await reply()).toBe(false);
    await api().send(text("Late", { replyTarget: token }));
    expect(sent()).toMatchObject([{ content: "Done" }, { content: "Late" }]);
  });

  it("is not sent to the chat too when Discord fails", async () => {
    const { id, token } = await platform.command(channelId, "new");
    await replyToInteraction(environment(), { id, token }, { type: 5 });
    platform.failNext({ kind: "answer", status: 500, text: "" });
    const failure = await failureOf(api().send(text("Done", { replyTarget: token })));
    expect(failure).toMatchObject({ kind: "unreachable" });
    expect(sent()).toEqual([]);
  });
});

/** A click that Discord tells of over the gateway. */
const pressed = async () => {
  const { messageId = "" } = await api().send(text("Allow?", { buttons: [button("Yes", "yes")] }));
  const { id, token } = await platform.press(messageId, "yes");
  return { ...clickOn(messageId, place, token), id };
};

describe("the confirmation of a click", () => {
  it("shows nothing without a text, or without one to tell", async () => {
    const click = await pressed();
    await api().confirmClick?.(click, "");
    expect(platform.answered(click.id)).toBe(6);
    await api().confirmClick?.({ ...click, confirmation: undefined }, "No one to tell");
    expect(sent()).toHaveLength(1);
  });

  it.each(["over the gateway", "by webhook"])("shows a text only to the person, %s", async (way) => {
    const click = await pressed();
    const { id, confirmation: token = "" } = click;
    if (way === "by webhook") await replyToInteraction(environment(), { id, token }, { type: 6 });
    await api().confirmClick?.(click, "Not @everyone's");
    expect(sent()).toMatchObject([{}, { content: "Not @everyone's", isEphemeral: true, pings: [] }]);
  });
});

describe("a file from Discord", () => {
  const files = [{ filename: "a.txt", mimeType: "text/plain", bytes: Buffer.from("A document") }];
  const url = () => platform.fileUrl(platform.say({ channelId, text: "", files }));

  it("is fetched without the token", async () => {
    const fetched = await api().download?.(mediaAt(url()), 100);
    expect(fetched).toEqual({ bytes: Uint8Array.from(files[0]?.bytes ?? []), mimeType: "text/plain" });
    expect(platform.calls.at(-1)?.headers["authorization"]).toBeUndefined();
  });

  it("is refused when it is elsewhere, gone, or where a redirect leads", async () => {
    const address = url();
    const before = platform.calls.length;
    for (const reference of [
      "https://cdn.discordapp.com.attacker.test/a",
      "http://cdn.discordapp.com/a",
      "https://user@attacker.test/cdn.discordapp.com",
      "https://cdn.discordapp.com:8443/a",
      "file:///etc/passwd",
      "not an address",
    ]) {
      const failure = await failureOf(api().download?.(mediaAt(reference), 100));
      expect(failure).toMatchObject({ kind: "refused" });
    }
    expect(platform.calls).toHaveLength(before);
    const gone = api().download?.(mediaAt(`${platform.origin}/api/v10/attachments/1/a`), 100);
    expect(await failureOf(gone)).toMatchObject({ kind: "refused" });
    platform.failNext({ kind: "answer", status: 302, headers: { location: "https://attacker.test/" } });
    expect(await failureOf(api().download?.(mediaAt(address), 100))).toMatchObject({ kind: "refused" });
  });
});

describe("a failing Discord", () => {
  it.each([
    ["another shape", { json: { id: 7 } }, true],
    ["a page of its proxy", { status: 403, text: "<html>Cloudflare</html>" }, false],
    ["a redirect", { status: 302, headers: { location: "https://x.test" } }, false],
  ])("with %s is unreachable", async (_, answer, mayHaveHappened) => {
    platform.failNext({ kind: "answer", ...answer });
    const failure = await failureOf(api().send(text("Hello")));
    expect(failure).toMatchObject({ kind: "unreachable", mayHaveHappened });
  });

  it("that tells the time in a header alone is busy so long", async () => {
    platform.failNext({ kind: "answer", status: 429, headers: { "retry-after": "60" }, text: "<html>" });
    expect(await failureOf(api().identify())).toMatchObject({ kind: "busy", retryAfterSeconds: 60 });
  });

  it.each([
    [10_003, /channel does not exist/u],
    [50_007, /private messages/u],
    [50_013, /permission/u],
    [160_005, /locked/u],
    [99_999, /Error 99999/u],
  ])("that refuses with %i will refuse again", async (code, words) => {
    platform.refuse(channelId, code);
    const failure = await failureOf(api().send(text("Hello")));
    expect(failure).toMatchObject({ kind: "refused", mayHaveHappened: false });
    expect(failure.message).toMatch(words);
    expect(failure.message).toContain(String(code));
  });

  it("that quotes the token of an interaction has it struck out", async () => {
    const { token } = await platform.command(channelId, "new");
    platform.failNext({ kind: "answer", status: 400, json: { code: 1, message: `No ${token}` } });
    const failure = await failureOf(api().send(text("Hello", { replyTarget: token })));
    expect(`${failure.message} ${failure.stack}`).not.toContain(token);
  });
});
