import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Button, ChannelApi, Place } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import { slack } from "#src/channels/slack/index.ts";
import type { Fault } from "#test/support/platforms/platform-server.ts";
import { type SlackMock, startSlack } from "#test/support/platforms/slack.ts";
import { apiContract } from "../api-contract.ts";
import { button, clickOn, environmentAt, failureOf, outgoingText } from "../environment.ts";
import { mediaAt, troubles } from "../platform-under-test.ts";

apiContract({
  label: "Slack",
  render: (markdown) => adapters.slack.render(markdown),
  reads: ({ markup }) => markup,
  // A reply to one message is a thread of it.
  has: ["network", "threads", "downloads", "downloadsByAddress"],
  async start() {
    const platform = await startSlack();
    const place: Place = { chatId: "C0CONTRACT", chatType: "group", threadId: undefined };
    platform.addChannel(place.chatId);
    const ann = platform.person("ann");
    const { ts } = await platform.say({ channelId: place.chatId, text: "hi", author: ann });
    const sent = ({ chatId, threadId }: Place) => platform.sent(chatId, threadId);
    return {
      api: adapters.slack.api(platform.credentials, environmentAt("slack", platform.url)),
      secrets: Object.values(platform.credentials),
      place,
      thread: { ...place, threadId: ts },
      message: {
        messageId: ts,
        sender: { id: `${platform.teamId}:${ann.id}`, alternateId: undefined, name: ann.name },
      },
      texts: (at) => sent(at).map(({ text }) => ({ text, replyTo: undefined })),
      files: (at) => sent(at).flatMap(({ files }) => files.map(({ bytes }) => bytes)),
      trouble: troubles(platform, {
        unauthorized: { json: { ok: false, error: "token_revoked" } },
        refused: { json: { ok: false, error: "channel_not_found" } },
      }),
      callCount: () => platform.calls.length,
      file: (bytes) =>
        mediaAt(platform.newFileUrl({ filename: "a.png", mimeType: "image/png", bytes: Buffer.from(bytes) })),
      fileAt: mediaAt,
      close: () => platform.close(),
    };
  },
});

const RESPONSES = "/actions/";

let channelId: string;
let place: Place;
let count = 0;
const stack = new AsyncDisposableStack();
const platform = stack.adopt(await startSlack(), (each) => each.close());
afterAll(() => stack.disposeAsync());
beforeEach(() => {
  count += 1;
  channelId = `C0CHANNEL${count}`;
  platform.addChannel(channelId);
  place = { chatId: channelId, chatType: "group", threadId: undefined };
});

const apiOf = (mock: SlackMock): ChannelApi => slack.api(mock.credentials, environmentAt("slack", mock.url));
const api = () => apiOf(platform);
const text = (markup: string, parts: Parameters<typeof outgoingText>[2] = {}) =>
  outgoingText(place, markup, parts);
const sent = (threadTs?: string) => platform.sent(channelId, threadTs);

describe("a Slack app", () => {
  it("is who its token says", async () => {
    const { id: botId, name: botName } = platform.bot;
    const { teamId } = platform;
    expect(await api().identify()).toEqual({ botId, botName, teamId, appId: "A0MOCKAPP1" });
  });

  it("writes to a person of its workspace", async () => {
    const { id } = platform.person("bob");
    const found = await api().directPlace(`${platform.teamId}:${id}`);
    expect(found).toEqual({ chatId: id.replace("U", "D"), chatType: "dm", threadId: undefined });
    expect(await failureOf(api().directPlace("T1:U404"))).toMatchObject({ kind: "refused" });
  });
});

describe("a text to Slack", () => {
  it("has its buttons below it, however long it is", async () => {
    const line = `${"x".repeat(99)}\n`;
    const no: Button = { label: "x".repeat(100), data: "no", style: "danger" };
    const buttons = [button("Yes", "yes"), no];
    const { messageId = "" } = await api().send(text(line.repeat(40), { buttons }));
    const [message] = sent();
    expect(message?.blocks.map(({ type }) => type)).toEqual(["section", "section", "actions"]);
    expect(message?.blocks.map((block) => block.text?.text ?? "").join("\n")).toBe(line.repeat(40));
    expect(message?.blocks[2]?.elements).toMatchObject([
      { value: "yes", text: { text: "Yes" } },
      { value: "no", text: { text: "x".repeat(75) }, style: "danger" },
    ]);
    await api().edit?.({ place, messageId, text: { markup: "Allowed", plain: "" } });
    expect(sent()).toMatchObject([{ text: "Allowed", blocks: [] }]);
  });

  it("follows reactions, by the names that Slack has for them", async () => {
    const { ts: messageId } = await platform.say({ channelId, text: "Hello" });
    const { sender } = clickOn(messageId, place, "");
    for (const emoji of ["👀", "✅", "⚠️"]) await api().react?.({ place, messageId, sender }, emoji);
    const names = ["eyes", "white_check_mark", "warning"];
    expect(platform.message(channelId, messageId)?.reactions).toEqual(names);
    const unknown = api().react?.({ place, messageId, sender }, "🪿");
    expect(await failureOf(unknown)).toMatchObject({ kind: "refused" });
  });

  it("follows a status in its thread, whether or not Slack shows it", async () => {
    const { ts: threadId } = await platform.say({ channelId, text: "Hello" });
    await api().showTyping?.({ ...place, threadId }, threadId);
    expect(platform.statuses.filter((status) => status.channelId === channelId)).toMatchObject([
      { threadTs: threadId },
    ]);
    const before = platform.calls.length;
    await api().showTyping?.(place, threadId);
    expect(platform.calls).toHaveLength(before);
    platform.failNext({ kind: "answer", status: 500, text: "" });
    await api().showTyping?.({ ...place, threadId }, threadId);
  });
});

const file = (parts: Partial<Place> = {}) => ({
  place: { ...place, ...parts },
  replyTo: undefined,
  nonce: "n",
  filename: "ä b.png",
  mimeType: "image/png",
  bytes: Uint8Array.from({ length: 1_000 }, (_, at) => at),
});

describe("a file to Slack", () => {
  it("arrives in its thread, with its name", async () => {
    const { ts: threadId } = await platform.say({ channelId, text: "Draw it" });
    expect(await api().sendFile?.(file({ threadId }))).toEqual({ messageId: undefined });
    expect(sent(threadId)).toMatchObject([{ files: [{ filename: "ä b.png" }] }]);
    const upload = platform.calls.find(({ path }) => path.startsWith("/upload/"));
    expect(upload?.headers["authorization"]).toBeUndefined();
  });

  it("is nowhere to be seen unless the last step was reached", async () => {
    const steps = ["files.getUploadURLExternal", "/upload/", "files.completeUploadExternal"];
    for (const path of steps) {
      platform.failNext({ kind: "lost" }, { path });
      const failure = await failureOf(api().sendFile?.(file()));
      const mayHaveHappened = path === steps[2];
      expect(failure).toMatchObject({ kind: "unreachable", mayHaveHappened });
      expect(sent()).toHaveLength(mayHaveHappened ? 1 : 0);
    }
  });

  it("is not uploaded to an address that is not Slack's", async () => {
    const json = { ok: true, upload_url: "https://attacker.test/upload", file_id: "F1" };
    platform.failNext({ kind: "answer", json });
    expect(await failureOf(api().sendFile?.(file()))).toMatchObject({ kind: "unreachable" });
  });
});

describe("a response to a command", () => {
  it("is seen by all, and takes no token with it", async () => {
    const replyTarget = platform.newResponseUrl(channelId);
    await api().send(text("Done", { replyTarget, buttons: [button("Undo")] }));
    expect(sent()).toMatchObject([{ text: "Done", isEphemeral: false, blocks: [{}, { type: "actions" }] }]);
    const call = platform.calls.findLast(({ path }) => path.startsWith(RESPONSES));
    expect(call?.headers["authorization"]).toBeUndefined();
  });

  it("goes to the chat when its address is too old, used up or not Slack's", async () => {
    for (const replyTarget of ["https://attacker.test/a", "http://hooks.slack.com/a", "nothing"]) {
      await api().send(text("0", { replyTarget }));
    }
    const replyTarget = platform.newResponseUrl(channelId);
    for (let at = 1; at <= 6; at += 1) await api().send(text(String(at), { replyTarget }));
    const other = platform.newResponseUrl(channelId);
    platform.expireResponses();
    await api().send(text("7", { replyTarget: other }));
    expect(sent().map((message) => message.text)).toEqual(["0", "0", "0", "1", "2", "3", "4", "5", "6", "7"]);
  });

  it("is not sent to the chat too when Slack fails", async () => {
    for (const [fault, kind] of [
      [{ kind: "answer", status: 503, text: "" }, "unreachable"],
      [{ kind: "busy", retryAfterSeconds: 3 }, "busy"],
    ] as const) {
      const replyTarget = platform.newResponseUrl(channelId);
      platform.failNext(fault, { path: RESPONSES });
      const failure = await failureOf(api().send(text("Done", { replyTarget })));
      expect(failure).toMatchObject({ kind, mayHaveHappened: kind === "unreachable" });
      expect(failure.message).not.toContain(replyTarget);
    }
    expect(sent()).toEqual([]);
  });

  it("to a click is seen by its person alone", async () => {
    const click = clickOn("1.1", place, platform.newResponseUrl(channelId));
    await api().confirmClick?.(click, "");
    expect(sent()).toEqual([]);
    await api().confirmClick?.(click, "Not for <!channel>");
    await api().confirmClick?.({ ...click, confirmation: undefined }, "No one to tell");
    expect(sent()).toMatchObject([{ text: "Not for &lt;!channel&gt;", isEphemeral: true, pings: [] }]);
  });
});

describe("a file from Slack", () => {
  const bytes = Buffer.from("A document");
  const address = (mimeType = "text/plain", mock = platform) =>
    mock.newFileUrl({ filename: "a.txt", mimeType, bytes });

  it("is fetched with the token, also a page", async () => {
    for (const mimeType of ["text/plain", "text/html"]) {
      const fetched = await api().download?.(mediaAt(address(mimeType), mimeType), 100);
      expect(fetched).toEqual({ bytes: Uint8Array.from(bytes), mimeType });
    }
  });

  it("is refused where Slack shows its login page instead", async () => {
    const own = stack.adopt(await startSlack(), (each) => each.close());
    own.hideFiles();
    for (const type of ["text/plain", "text/html"]) {
      const failure = await failureOf(apiOf(own).download?.(mediaAt(address(type, own), type), 1_000));
      expect(failure).toMatchObject({ kind: "refused" });
      expect(failure.message).toContain("files:read");
    }
  });

  it("takes the token nowhere else", async () => {
    const url = address();
    const before = platform.calls.length;
    for (const reference of [
      "https://files.slack.com.attacker.test/a",
      "http://files.slack.com/a",
      "https://files.slack.com@attacker.test/a",
      "https://slack.com/a",
      "not an address",
    ]) {
      const failure = await failureOf(api().download?.(mediaAt(reference), 100));
      expect(failure).toMatchObject({ kind: "refused" });
    }
    expect(platform.calls).toHaveLength(before);
    platform.failNext({ kind: "answer", status: 302, headers: { location: `${platform.origin}/api/x` } });
    expect(await failureOf(api().download?.(mediaAt(url), 100))).toMatchObject({ kind: "refused" });
    expect(platform.calls).toHaveLength(before + 1);
  });
});

/** A failure as Slack tells of it. */
const error = (name: string): Fault => ({ kind: "answer", json: { ok: false, error: name } });

describe("a failing Slack", () => {
  it.each([
    ["too many calls, without a time", error("ratelimited"), "busy", false],
    ["internal_error", error("internal_error"), "unreachable", true],
    ["another shape", { kind: "answer", json: { ok: true, ts: 7 } }, "unreachable", true],
    ["a page of a proxy", { kind: "answer", status: 403, text: "<html>" }, "unreachable", false],
  ] satisfies [string, Fault, string, boolean][])("with %s", async (_, fault, kind, mayHaveHappened) => {
    platform.failNext(fault);
    const failure = await failureOf(api().send(text("Hello")));
    expect(failure).toMatchObject({ kind, mayHaveHappened, retryAfterSeconds: undefined });
  });

  it.each([
    ["channel_not_found", /does not exist/u],
    ["not_in_channel", /invite it/u],
    ["is_archived", /archived/u],
    ["restricted_action", /setting of the workspace/u],
    ["messages_tab_disabled", /Messages tab/u],
    ["msg_too_long", /longer/u],
    ["an_error_of_tomorrow", /refused the call/u],
  ])("that refuses with %s will refuse again", async (name, words) => {
    platform.refuse(channelId, name);
    const failure = await failureOf(api().send(text("Hello")));
    expect(failure).toMatchObject({ kind: "refused", mayHaveHappened: false });
    expect(failure.message).toMatch(words);
    expect(failure.message).toContain(`(Slack error ${name})`);
  });

  it.each(["not_authed", "invalid_auth", "account_inactive", "token_revoked", "team_disabled"])(
    "that refuses the token with %s needs another",
    async (name) => {
      platform.failNext(error(name));
      expect(await failureOf(api().send(text("Hello")))).toMatchObject({ kind: "unauthorized" });
    },
  );

  it("that misses a scope says which", async () => {
    platform.failNext({ kind: "answer", json: { ok: false, error: "missing_scope", needed: "chat:write" } });
    const failure = await failureOf(api().send(text("Hello")));
    expect(failure).toMatchObject({ kind: "refused" });
    expect(failure.message).toContain("scope chat:write");
  });
});
