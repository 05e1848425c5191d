import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Button, ChannelApi, MediaReference, Place, ReceivedClick } from "#src/channels/channel.ts";
import { replyToInteraction } from "#src/channels/discord/api.ts";
import { discord } from "#src/channels/discord/index.ts";
import { adapters } from "#src/channels/index.ts";
import { type DiscordMock, startDiscord } from "#test/support/platforms/discord.ts";
import type { Fault } from "#test/support/platforms/platform-server.ts";
import { apiContract } from "../api-contract.ts";
import { environmentAt, failureOf, outgoingText } from "../environment.ts";
import { mediaAt, troubles } from "../platform-under-test.ts";

apiContract({
  label: "Discord",
  render: (markdown) => adapters.discord.render(markdown),
  reads: ({ markup }) => markup,
  has: ["network", "threads", "replies", "downloads", "downloadsByAddress"],
  async start() {
    const platform = await startDiscord();
    const place: Place = {
      chatId: platform.addChannel({ guildId: "1" }),
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
      thread: { ...place, threadId: platform.addChannel({ guildId: "1" }) },
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
        return mediaAt(platform.wire(id)?.attachments[0]?.url ?? "");
      },
      fileAt: mediaAt,
      close: () => platform.close(),
    };
  },
});

const ANN = { id: "1", alternateId: undefined, name: "Ann" };

let platform: DiscordMock;
let channelId: string;
let place: Place;
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  platform = stack.adopt(await startDiscord(), (each) => each.close());
});
afterAll(() => stack.disposeAsync());
beforeEach(() => {
  channelId = platform.addChannel({ guildId: "1" });
  place = { chatId: channelId, chatType: "group", threadId: undefined };
});

const environment = () => environmentAt("discord", platform.url);
const api = (changed: Partial<DiscordMock["credentials"]> = {}): ChannelApi =>
  discord.api({ ...platform.credentials, ...changed }, environment());
const text = (markup: string, parts: Parameters<typeof outgoingText>[2] = {}) =>
  outgoingText(place, markup, { nonce: crypto.randomUUID().slice(0, 24), ...parts });
const button = (label: string, data = label): Button => ({ label, data, style: undefined });
const sent = () => platform.sent(channelId);
const lastCall = () => platform.calls.at(-1);
const media = (reference: string): MediaReference => ({
  kind: "document",
  reference,
  mimeType: undefined,
  filename: undefined,
  size: undefined,
});

describe("a Discord bot", () => {
  it("is who its application says", async () => {
    expect(await api().identify()).toMatchObject({
      botId: platform.bot.id,
      botName: platform.bot.username,
      appId: expect.any(String),
    });
    expect(lastCall()?.headers["user-agent"]).toMatch(/^DiscordBot \(/u);
  });

  it.each([
    ["a wrong token", { bot_token: "no.such.token" }],
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

  it("goes to the thread, replies, is silent and has its buttons in rows of five", async () => {
    const threadId = platform.addChannel({ guildId: "1" });
    const question = platform.say({ channelId: threadId, text: "Question" });
    const buttons = ["1", "2", "3", "4", "5"].map((data) => button(data));
    await api().send({
      ...text("Answer", { replyTo: question, isSilent: true }),
      place: { ...place, threadId },
      buttons: [...buttons, { label: "x".repeat(100), data: "6", style: "danger" }],
    });
    expect(sent()).toEqual([]);
    expect(platform.sent(threadId)).toMatchObject([
      { content: "Answer", replyTo: question, flags: 1 << 12, components: [{}, {}] },
    ]);
    expect(platform.sent(threadId)[0]?.components[1]?.components).toEqual([
      { type: 2, style: 4, label: "x".repeat(80), custom_id: "6" },
    ]);
  });

  it("is sent although the message that it replies to is gone", async () => {
    await api().send(text("Answer", { replyTo: "123" }));
    expect(sent()).toMatchObject([{ content: "Answer", replyTo: undefined }]);
  });

  it("is sent once, however often it is tried", async () => {
    const message = text("Once");
    platform.failNext({ kind: "lost" });
    expect(await failureOf(api().send(message))).toMatchObject({ mayHaveHappened: true });
    const { messageId } = await api().send(message);
    expect(sent()).toMatchObject([{ id: messageId, content: "Once" }]);
  });

  it("follows typing and reactions", async () => {
    const messageId = platform.say({ channelId, text: "Hello" });
    await api().showTyping?.(place, messageId);
    expect(platform.typing(channelId)).toBe(1);
    for (const emoji of ["👀", "👀", "✅"]) await api().react?.({ place, messageId, sender: ANN }, emoji);
    expect(platform.message(messageId)?.reactions).toEqual(["👀", "✅"]);
  });
});

describe("a file to Discord", () => {
  it("arrives as it is, with its name and its type", async () => {
    const bytes = Uint8Array.from({ length: 1_000 }, (_, at) => at);
    const nonce = "file-nonce";
    const file = { place, replyTo: undefined, nonce, filename: "ä b.png", mimeType: "image/png", bytes };
    await api().sendFile?.(file);
    await api().sendFile?.(file);
    expect(sent()).toMatchObject([
      { files: [{ filename: "ä b.png", mimeType: "image/png", bytes: Buffer.from(bytes) }] },
    ]);
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
  it("takes the place of the reply that the person waits for", async () => {
    const { id, token } = await platform.command(channelId, "new");
    expect(await replyToInteraction(environment(), { id, token }, { type: 5 })).toBe(true);
    const message = text("Done", { replyTarget: token });
    const { messageId } = await api().send(message);
    await api().send(message);
    expect(sent()).toMatchObject([{ id: messageId, content: "Done" }]);
    expect(
      platform.calls
        .filter(({ path }) => path.includes(token))
        .every(({ headers }) => headers["authorization"] === undefined),
    ).toBe(true);
  });

  it.each([
    ["too old", async () => platform.expireInteractions()],
    ["not known", async () => undefined],
  ])("goes to the chat when the interaction is %s", async (_, make) => {
    const { token } = await platform.command(channelId, "new");
    await make();
    await api().send(text("Late", { replyTarget: token }));
    expect(sent()).toMatchObject([{ content: "Late" }]);
  });

  it("is not sent to the chat too when Discord fails", async () => {
    const { id, token } = await platform.command(channelId, "new");
    await replyToInteraction(environment(), { id, token }, { type: 5 });
    platform.failNext({ kind: "answer", status: 500, text: "" });
    const failure = await failureOf(api().send(text("Done", { replyTarget: token })));
    expect(failure).toMatchObject({ kind: "unreachable" });
    expect(sent()).toEqual([]);
  });

  it("is given once", async () => {
    const { id, token } = await platform.command(channelId, "new");
    const reply = () => replyToInteraction(environment(), { id, token }, { type: 5 });
    expect([await reply(), await reply()]).toEqual([true, false]);
    platform.expireInteractions();
    expect(await reply()).toBe(false);
  });
});

/** A click that Discord tells of over the gateway. */
async function press(): Promise<ReceivedClick> {
  const { messageId = "" } = await api().send(text("Allow?", { buttons: [button("Yes", "yes")] }));
  const { id, token } = await platform.press(messageId, "yes");
  return { kind: "click", id, place, sender: ANN, data: "yes", messageId, confirmation: token };
}

describe("the confirmation of a click", () => {
  it("shows nothing without a text", async () => {
    const click = await press();
    await api().confirmClick?.(click, "");
    expect(platform.answered(click.id)).toBe(6);
    expect(sent()).toHaveLength(1);
    await api().confirmClick?.({ ...click, confirmation: undefined }, "No one to tell");
  });

  it.each(["over the gateway", "by webhook"])("shows a text only to the person, %s", async (way) => {
    const click = await press();
    if (way === "by webhook") {
      await replyToInteraction(environment(), { id: click.id, token: click.confirmation ?? "" }, { type: 6 });
    }
    await api().confirmClick?.(click, "Not @everyone's");
    expect(sent()).toMatchObject([{}, { content: "Not @everyone's", isEphemeral: true, pings: [] }]);
  });
});

describe("a file from Discord", () => {
  const bytes = Buffer.from("A document");
  const url = () => {
    const id = platform.say({
      channelId,
      text: "",
      files: [{ filename: "a.txt", mimeType: "text/plain", bytes }],
    });
    return platform.wire(id)?.attachments[0]?.url ?? "";
  };

  it("is fetched without the token", async () => {
    expect(await api().download?.(media(url()), 100)).toEqual({
      bytes: Uint8Array.from(bytes),
      mimeType: "text/plain",
    });
    expect(lastCall()?.headers["authorization"]).toBeUndefined();
  });

  it("is refused when it is too large, gone, or elsewhere", async () => {
    const origin = new URL(platform.url).origin;
    const before = platform.calls.length;
    for (const reference of [
      "https://cdn.discordapp.com.attacker.test/a",
      "http://cdn.discordapp.com/a",
      "https://user@attacker.test/cdn.discordapp.com",
      "https://cdn.discordapp.com:8443/a",
      "file:///etc/passwd",
      "not an address",
    ]) {
      expect(await failureOf(api().download?.(media(reference), 100))).toMatchObject({ kind: "refused" });
    }
    expect(platform.calls).toHaveLength(before);
    expect(await failureOf(api().download?.(media(url()), 9))).toMatchObject({ kind: "refused" });
    const gone = api().download?.(media(`${origin}/attachments/1/a`), 100);
    expect(await failureOf(gone)).toMatchObject({ kind: "refused" });
  });

  it("is not fetched from where a redirect leads", async () => {
    const address = url();
    platform.failNext({ kind: "answer", status: 302, headers: { location: "https://attacker.test/" } });
    expect(await failureOf(api().download?.(media(address), 100))).toMatchObject({ kind: "refused" });
  });
});

describe("a failing Discord", () => {
  const page: Fault = { kind: "answer", status: 403, text: "<html>Cloudflare</html>" };
  it.each([
    ["too many calls", { kind: "busy", retryAfterSeconds: 1.5 }, "busy", false],
    [
      "a 503 of its own",
      { kind: "answer", status: 503, json: { code: 0, message: "" } },
      "unreachable",
      true,
    ],
    ["another shape", { kind: "answer", json: { id: 7 } }, "unreachable", true],
    ["a lost connection", { kind: "cut" }, "unreachable", true],
    ["a page of its proxy", page, "unreachable", false],
    [
      "a redirect",
      { kind: "answer", status: 302, headers: { location: "https://x.test" } },
      "unreachable",
      false,
    ],
  ] satisfies [string, Fault, string, boolean][])("with %s", async (_, fault, kind, mayHaveHappened) => {
    platform.failNext(fault);
    const failure = await failureOf(api().send(text("Hello")));
    expect(failure).toMatchObject({ kind, mayHaveHappened });
    expect(failure.retryAfterSeconds).toBe(kind === "busy" ? 1.5 : undefined);
    expectNoSecret(failure);
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

  it("that quotes a secret has it struck out", async () => {
    const message = `Bad token ${platform.credentials.bot_token}`;
    platform.failNext({ kind: "answer", status: 400, json: { code: 1, message } });
    const failure = await failureOf(api().send(text("Hello")));
    expect(failure.message).toContain("Bad token");
    expectNoSecret(failure);
    const { token } = await platform.command(channelId, "new");
    platform.failNext({ kind: "answer", status: 400, json: { code: 1, message: `No ${token}` } });
    const other = await failureOf(api().send(text("Hello", { replyTarget: token })));
    expect(`${other.message} ${other.stack}`).not.toContain(token);
  });
});

function expectNoSecret(failure: Error): void {
  const told = `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`;
  expect(told).not.toContain(platform.credentials.bot_token);
  expect(told).not.toContain(platform.url);
}
