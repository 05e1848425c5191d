import { afterAll, describe, expect, it } from "vitest";
import { adapters } from "#src/channels/index.ts";
import { signal } from "#src/channels/signal/index.ts";
import { parseEnvelope } from "#src/channels/signal/parse.ts";
import { AppError } from "#src/lib/errors.ts";
import { PRIVATE_REFUSAL } from "#src/lib/outbound-url.ts";
import { startSignalBridge } from "#test/support/platforms/signal.ts";
import { apiContract } from "../api-contract.ts";
import { button, dm, environmentOf, failureOf, outgoingText } from "../environment.ts";
import { mediaAt, troubles } from "../platform-under-test.ts";

apiContract({
  label: "Signal",
  render: (markdown) => adapters.signal.render(markdown),
  reads: ({ markup }) => markup,
  has: ["network", "replies", "downloads"],
  async start() {
    const bridge = await startSignalBridge();
    const ann = bridge.newPerson("Ann");
    const messageId = String(bridge.write(ann, { text: "hi" }));
    const to = (chatId: string) => bridge.sent.filter(({ recipient }) => recipient === chatId);
    const credentials = { signal_cli_url: bridge.url, phone_number: bridge.account.number };
    return {
      api: adapters.signal.api(credentials, environmentOf()),
      secrets: [new URL(bridge.url).host, bridge.account.number],
      place: dm(ann.uuid),
      thread: undefined,
      message: { messageId, sender: { id: ann.uuid, alternateId: undefined, name: "Ann" } },
      texts: ({ chatId }) =>
        to(chatId).map(({ text, quote }) => ({ text, replyTo: quote && String(quote.timestamp) })),
      files: ({ chatId }) => to(chatId).flatMap(({ attachments }) => attachments.map(({ bytes }) => bytes)),
      trouble: troubles(bridge, {
        // The bridge knows no credentials; the proxy before it may.
        unauthorized: { status: 401, text: "Unauthorized" },
        refused: { status: 400, json: { error: `Invalid id of ${bridge.account.number} at ${bridge.url}.` } },
      }),
      callCount: () => bridge.calls.length,
      file(bytes) {
        return mediaAt(bridge.attach(bytes));
      },
      close: () => bridge.close(),
    };
  },
});

const bridge = await startSignalBridge();
const ann = bridge.newPerson("Ann");
afterAll(() => bridge.close());

const credentials = () => ({ signal_cli_url: bridge.url, phone_number: bridge.account.number });
const api = () => signal.api(credentials(), environmentOf());
const last = () => bridge.sent.at(-1);

describe("a call at Signal's bridge", () => {
  it("sends styled text, whatever the bridge's own setting", async () => {
    const { messageId } = await api().send(outgoingText(dm(ann.uuid), "**bold**"));
    expect(last()).toMatchObject({
      recipient: ann.uuid,
      text: "**bold**",
      textMode: "styled",
      timestamp: Number(messageId),
    });
  });

  it("sends to a group by the id that a message of it has", async () => {
    const { groupId, recipient } = bridge.newGroup();
    const dataMessage = { message: "hi", groupInfo: { groupId } };
    const account = bridge.account.number;
    const frame = { envelope: { sourceUuid: ann.uuid, timestamp: 5, dataMessage }, account };
    const place = parseEnvelope(frame, { botId: account, botName: undefined })?.place;
    expect(place).toMatchObject({ chatId: recipient, chatType: "group" });
    await api().send(outgoingText(place ?? dm(""), "hello", { replyTo: "5" }));
    expect(last()).toMatchObject({ recipient, quote: undefined });
  });

  it("quotes by author and time, where the author is known", async () => {
    await api().send(outgoingText(dm(ann.uuid), "hello", { replyTo: "1700000000000" }));
    expect(last()).toMatchObject({ quote: { timestamp: 1_700_000_000_000, author: ann.uuid } });
    await api().send(outgoingText(dm(ann.uuid), "hello", { replyTo: "cli-1" }));
    expect(last()).toMatchObject({ quote: undefined });
  });

  it("lists buttons in the text, without characters that style", async () => {
    const buttons = [button("*Allow*"), button("Deny")];
    await api().send(outgoingText(dm(ann.uuid), "May I?", { buttons }));
    expect(last()?.text).toBe("May I?\n\nReply with one of these:\n• Allow\n• Deny");
  });

  it("reads what bridges returned before July 2026", async () => {
    bridge.returnsObject = true;
    const { messageId } = await api().send(outgoingText(dm(ann.uuid), "old"));
    bridge.returnsObject = false;
    expect(last()).toMatchObject({ text: "old", timestamp: Number(messageId) });
  });

  it.each([
    ["NETWORK_FAILURE", "unreachable"],
    ["RATE_LIMIT_FAILURE", "busy"],
    ["UNREGISTERED_FAILURE", "refused"],
    ["IDENTITY_FAILURE", "refused"],
    ["<b>", "refused"],
  ])("fails when one person did not get it: %s is %s", async (reason, kind) => {
    bridge.loseNext(reason);
    const failure = await failureOf(api().send(outgoingText(dm(ann.uuid), "lost")));
    expect(failure).toMatchObject({ kind });
    expect(failure.message).not.toContain("<");
  });

  it("succeeds when a member of a group did not get it", async () => {
    bridge.loseNext("UNREGISTERED_FAILURE");
    const place = { chatId: bridge.newGroup().recipient, chatType: "group", threadId: undefined } as const;
    await expect(api().send(outgoingText(place, "hello"))).resolves.toBeDefined();
  });

  it.each([
    ["Unable to complete request due to untrusted recipient keys", "refused", /trust it/u],
    ["Cannot send message to group - please first update your profile.", "refused", /set a name/u],
    ["User +4915100000000 is not registered.", "unauthorized", /not registered or linked/u],
    ["Specified account does not exist", "unauthorized", /not registered or linked/u],
    ["Failed to send message", "unreachable", /bridge failed/u],
    ["java.net.SocketException: Connection reset", "unreachable", /Connection reset/u],
    ["Invalid group id", "refused", /Invalid group id/u],
  ])("says what to do about %j", async (error, kind, sentence) => {
    bridge.failNext({ kind: "answer", status: 400, json: { error } });
    const failure = await failureOf(api().send(outgoingText(dm(ann.uuid), "hello")));
    expect(failure).toMatchObject({ kind, message: expect.stringMatching(sentence) });
  });

  it("does not repeat what needs a captcha", async () => {
    const body = { error: "Rate limit", challenge_tokens: ["t0ken"], account: bridge.account.number };
    bridge.failNext({ kind: "answer", status: 429, json: body });
    const failure = await failureOf(api().send(outgoingText(dm(ann.uuid), "hello")));
    expect(failure).toMatchObject({ kind: "refused", message: expect.stringMatching(/captcha/u) });
    expect(JSON.stringify(failure)).not.toContain("t0ken");
  });

  it("is refused where the address is private, with the reason", async () => {
    const environment = environmentOf({
      guardedFetch: () => Promise.reject(new AppError("invalid_input", PRIVATE_REFUSAL)),
    });
    const failure = await failureOf(signal.api(credentials(), environment).identify());
    expect(failure).toMatchObject({ kind: "refused", message: expect.stringContaining(PRIVATE_REFUSAL) });
  });

  it("does not take a web page for a bridge, and has no name of its own", async () => {
    bridge.failNext({ kind: "garbage" });
    expect(await failureOf(api().identify())).toMatchObject({ kind: "unreachable" });
    expect(await api().identify()).toEqual({ botId: bridge.account.number, botName: undefined });
  });

  it("names a file by what the bridge can store", async () => {
    const bytes = new Uint8Array([0, 1, 254, 255]);
    const file = { filename: "../a;b.png", mimeType: "image/png; x=1", bytes, nonce: "n" };
    await api().sendFile?.({ place: dm(ann.uuid), replyTo: undefined, ...file });
    expect(last()?.attachments).toEqual([
      { filename: "__a_b.png", mimeType: "image/png", bytes: Buffer.from(bytes) },
    ]);
  });

  it("deletes an attachment that it fetched, at the bridge", async () => {
    const id = bridge.attach(new TextEncoder().encode("hello"));
    const media = mediaAt(id, "text/plain");
    const file = await api().download?.(media, 5);
    expect(file).toEqual({ bytes: new TextEncoder().encode("hello"), mimeType: "text/plain" });
    expect(bridge.attachments.has(id)).toBe(false);
    const outside = await failureOf(api().download?.(mediaAt("../about"), 5));
    expect(outside).toMatchObject({ kind: "refused" });
  });
});
