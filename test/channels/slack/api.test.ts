import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Button, ChannelApi, MediaReference, Place, ReceivedClick } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import { slack } from "#src/channels/slack/index.ts";
import type { Fault } from "#test/support/platforms/platform-server.ts";
import { type SlackMock, startSlack } from "#test/support/platforms/slack.ts";
import { apiContract } from "../api-contract.ts";
import { environmentAt, failureOf, outgoingText } from "../environment.ts";
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
      async file(bytes) {
        const files = [{ filename: "a.png", mimeType: "image/png", bytes: Buffer.from(bytes) }];
        platform.webhookUrl = `${platform.origin}/nowhere`;
        await platform.say({ channelId: place.chatId, text: "", files });
        platform.webhookUrl = undefined;
        const { event } = JSON.parse(platform.calls.at(-1)?.body.toString() ?? "{}");
        return mediaAt(String(event.files[0].url_private_download));
      },
      fileAt: mediaAt,
      close: () => platform.close(),
    };
  },
});

const ANN = { id: "T1:U1", alternateId: undefined, name: "Ann" };
const RESPONSES = "/actions/";

let platform: SlackMock;
let channelId: string;
let place: Place;
let count = 0;
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  platform = stack.adopt(await startSlack(), (each) => each.close());
});
afterAll(() => stack.disposeAsync());
beforeEach(() => {
  count += 1;
  channelId = `C0CHANNEL${count}`;
  platform.addChannel(channelId);
  place = { chatId: channelId, chatType: "group", threadId: undefined };
});

function apiOf(mock: SlackMock, token = mock.credentials.bot_token): ChannelApi {
  return slack.api({ ...mock.credentials, bot_token: token }, environmentAt("slack", mock.url));
}
const api = () => apiOf(platform);
const text = (markup: string, parts: Parameters<typeof outgoingText>[2] = {}) =>
  outgoingText(place, markup, parts);
const button = (label: string, data = label): Button => ({ label, data, style: undefined });
const sent = (threadTs?: string) => platform.sent(channelId, threadTs);
const media = (reference: string, mimeType?: string): MediaReference => ({
  kind: "document",
  reference,
  mimeType,
  filename: undefined,
  size: undefined,
});

/** A place for the responses to a command. */
async function responseUrl(): Promise<string> {
  platform.webhookUrl = `${new URL(platform.url).origin}/nowhere`;
  await platform.command(channelId, "/new");
  platform.webhookUrl = undefined;
  const form = new URLSearchParams(platform.calls.at(-1)?.body.toString());
  return form.get("response_url") ?? "";
}

describe("a Slack app", () => {
  it("is who its token says", async () => {
    expect(await api().identify()).toEqual({
      botId: platform.bot.id,
      botName: platform.bot.name,
      teamId: platform.teamId,
      appId: "A0MOCKAPP1",
    });
  });

  it("with a wrong token is unauthorized", async () => {
    expect(await failureOf(apiOf(platform, "xoxb-wrong").identify())).toMatchObject({
      kind: "unauthorized",
      message: "Slack does not accept the bot token any more: enter a new one (Slack error invalid_auth).",
    });
  });

  it("writes to a person of its workspace", async () => {
    const { id } = platform.person("bob");
    const found = await api().directPlace(`${platform.teamId}:${id}`);
    expect(found).toEqual({ chatId: id.replace("U", "D"), chatType: "dm", threadId: undefined });
    await api().send(outgoingText(found, "Hello"));
    expect(platform.sent(found.chatId)).toMatchObject([{ text: "Hello" }]);
    expect(await failureOf(api().directPlace("T1:U404"))).toMatchObject({ kind: "refused" });
  });
});

describe("a text to Slack", () => {
  it("goes to the channel or to its thread", async () => {
    const { messageId } = await api().send(text("*Hello* &amp; <https://a.example|there>"));
    await api().send({ ...text("Below"), place: { ...place, threadId: messageId } });
    expect(sent()).toMatchObject([
      { ts: messageId, text: "*Hello* &amp; <https://a.example|there>", blocks: [], pings: [] },
    ]);
    expect(sent(messageId)).toMatchObject([{ text: "Below" }]);
  });

  it("has its buttons below it, however long it is", async () => {
    const line = `${"x".repeat(99)}\n`;
    const buttons = [button("Yes", "yes"), { label: "x".repeat(100), data: "no", style: "danger" as const }];
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
    for (const emoji of ["👀", "👀", "✅", "⚠️"])
      await api().react?.({ place, messageId, sender: ANN }, emoji);
    expect(platform.message(channelId, messageId)?.reactions).toEqual([
      "eyes",
      "white_check_mark",
      "warning",
    ]);
    const unknown = api().react?.({ place, messageId, sender: ANN }, "🪿");
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
  it("arrives as it is, in its thread", async () => {
    const { ts: threadId } = await platform.say({ channelId, text: "Draw it" });
    expect(await api().sendFile?.(file({ threadId }))).toEqual({ messageId: undefined });
    expect(sent(threadId)).toMatchObject([
      { files: [{ filename: "ä b.png", bytes: Buffer.from(file().bytes) }] },
    ]);
    const upload = platform.calls.find(({ path }) => path.startsWith("/upload/"));
    expect(upload?.headers["authorization"]).toBeUndefined();
  });

  it("is nowhere to be seen unless the last step was reached", async () => {
    for (const path of ["files.getUploadURLExternal", "/upload/"]) {
      platform.failNext({ kind: "lost" }, { path });
      expect(await failureOf(api().sendFile?.(file()))).toMatchObject({
        kind: "unreachable",
        mayHaveHappened: false,
      });
    }
    expect(sent()).toEqual([]);
    platform.failNext({ kind: "lost" }, { path: "files.completeUploadExternal" });
    expect(await failureOf(api().sendFile?.(file()))).toMatchObject({
      kind: "unreachable",
      mayHaveHappened: true,
    });
    expect(sent()).toHaveLength(1);
  });

  it("is not uploaded to an address that is not Slack's", async () => {
    const json = { ok: true, upload_url: "https://attacker.test/upload", file_id: "F1" };
    platform.failNext({ kind: "answer", json });
    expect(await failureOf(api().sendFile?.(file()))).toMatchObject({ kind: "unreachable" });
  });
});

describe("a response to a command", () => {
  it("is seen by all, and takes no token with it", async () => {
    const replyTarget = await responseUrl();
    await api().send(text("Done", { replyTarget, buttons: [button("Undo")] }));
    expect(sent()).toMatchObject([{ text: "Done", isEphemeral: false, blocks: [{}, { type: "actions" }] }]);
    const call = platform.calls.findLast(({ path }) => path.startsWith(RESPONSES));
    expect(call?.headers["authorization"]).toBeUndefined();
  });

  it("goes to the chat when its address is too old, used up or not Slack's", async () => {
    for (const replyTarget of ["https://attacker.test/a", "http://hooks.slack.com/a", "nothing"]) {
      await api().send(text("0", { replyTarget }));
    }
    const replyTarget = await responseUrl();
    for (let at = 1; at <= 6; at += 1) await api().send(text(String(at), { replyTarget }));
    const other = await responseUrl();
    platform.expireResponses();
    await api().send(text("7", { replyTarget: other }));
    expect(sent().map((message) => message.text)).toEqual(["0", "0", "0", "1", "2", "3", "4", "5", "6", "7"]);
    expect(platform.calls.filter(({ path }) => path === "/api/chat.postMessage").length).toBeGreaterThan(1);
  });

  it("is not sent to the chat too when Slack fails", async () => {
    for (const fault of [{ kind: "lost" }, { kind: "answer", status: 503, text: "" }] satisfies Fault[]) {
      const replyTarget = await responseUrl();
      platform.failNext(fault, { path: RESPONSES });
      const failure = await failureOf(api().send(text("Done", { replyTarget })));
      expect(failure).toMatchObject({ kind: "unreachable", mayHaveHappened: true });
      expect(failure.message).not.toContain(replyTarget);
    }
    expect(sent()).toHaveLength(1);
    platform.failNext({ kind: "busy", retryAfterSeconds: 3 }, { path: RESPONSES });
    const failure = await failureOf(api().send(text("Done", { replyTarget: await responseUrl() })));
    expect(failure).toMatchObject({ kind: "busy", retryAfterSeconds: 3 });
  });

  it("to a click is seen by its person alone", async () => {
    const confirmation = await responseUrl();
    const click: ReceivedClick = {
      kind: "click",
      id: "1",
      place,
      sender: ANN,
      data: "yes",
      messageId: "1.1",
      confirmation,
    };
    await api().confirmClick?.(click, "");
    expect(sent()).toEqual([]);
    await api().confirmClick?.(click, "Not for <!channel>");
    await api().confirmClick?.({ ...click, confirmation: undefined }, "No one to tell");
    expect(sent()).toMatchObject([{ text: "Not for &lt;!channel&gt;", isEphemeral: true, pings: [] }]);
  });
});

describe("a file from Slack", () => {
  const bytes = Buffer.from("A document");
  async function address(mock: SlackMock, mimeType = "text/plain"): Promise<string> {
    mock.webhookUrl = `${new URL(mock.url).origin}/nowhere`;
    await mock.say({ channelId: "C1", text: "", files: [{ filename: "a.txt", mimeType, bytes }] });
    mock.webhookUrl = undefined;
    const { event } = JSON.parse(mock.calls.at(-1)?.body.toString() ?? "{}");
    return String(event.files[0].url_private_download);
  }

  it("is fetched with the token", async () => {
    const url = await address(platform);
    const mimeType = "text/plain";
    expect(await api().download?.(media(url), 100)).toEqual({ bytes: Uint8Array.from(bytes), mimeType });
    const page = await address(platform, "text/html");
    expect(await api().download?.(media(page, "text/html"), 100)).toMatchObject({ mimeType: "text/html" });
    expect(await failureOf(api().download?.(media(url), 9))).toMatchObject({ kind: "refused" });
  });

  it("is refused where Slack shows its login page instead", async () => {
    const own = await startSlack();
    own.withoutScope("files:read");
    for (const type of ["text/plain", "text/html"]) {
      const failure = await failureOf(apiOf(own).download?.(media(await address(own), type), 1_000));
      expect(failure).toMatchObject({ kind: "refused" });
      expect(failure.message).toContain("files:read");
    }
    await own.close();
  });

  it("takes the token nowhere else", async () => {
    const before = platform.calls.length;
    for (const reference of [
      "https://files.slack.com.attacker.test/a",
      "http://files.slack.com/a",
      "https://files.slack.com@attacker.test/a",
      "https://slack.com/a",
      "not an address",
    ]) {
      expect(await failureOf(api().download?.(media(reference), 100))).toMatchObject({ kind: "refused" });
    }
    expect(platform.calls).toHaveLength(before);
    const url = await address(platform);
    const other = await startSlack();
    platform.failNext({ kind: "answer", status: 302, headers: { location: other.url } });
    expect(await failureOf(api().download?.(media(url), 100))).toMatchObject({ kind: "refused" });
    expect(other.calls).toEqual([]);
    await other.close();
  });
});

/** A failure as Slack tells of it. */
const error = (name: string): Fault => ({ kind: "answer", json: { ok: false, error: name } });

describe("a failing Slack", () => {
  it.each([
    ["too many calls", { kind: "busy", retryAfterSeconds: 30 }, "busy", false],
    ["too many calls, without a time", error("ratelimited"), "busy", false],
    ["internal_error", error("internal_error"), "unreachable", true],
    ["another shape", { kind: "answer", json: { ok: true, ts: 7 } }, "unreachable", true],
    ["a lost connection", { kind: "cut" }, "unreachable", true],
    ["a page of a proxy", { kind: "answer", status: 403, text: "<html>" }, "unreachable", false],
  ] satisfies [string, Fault, string, boolean][])("with %s", async (_, fault, kind, mayHaveHappened) => {
    platform.failNext(fault);
    const failure = await failureOf(api().send(text("Hello")));
    expect(failure).toMatchObject({ kind, mayHaveHappened });
    expect(failure.retryAfterSeconds).toBe(fault.kind === "busy" ? 30 : undefined);
    expectNoSecret(failure);
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
    const own = await startSlack();
    own.addChannel("C1");
    own.withoutScope("chat:write");
    const failure = await failureOf(apiOf(own).send({ ...text("Hello"), place: { ...place, chatId: "C1" } }));
    expect(failure).toMatchObject({ kind: "refused" });
    expect(failure.message).toContain("scope chat:write");
    await own.close();
    expect(await failureOf(apiOf(own).identify())).toMatchObject({ kind: "unreachable" });
  });
});

function expectNoSecret(failure: Error): void {
  const told = `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`;
  expect(told).not.toContain(platform.credentials.bot_token);
  expect(told).not.toContain(platform.url);
}
