import { afterAll, describe, expect, it } from "vitest";
import { adapters } from "#src/channels/index.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { whatsapp } from "#src/channels/whatsapp/index.ts";
import { startWhatsapp } from "#test/support/platforms/whatsapp.ts";
import { apiContract } from "../api-contract.ts";
import { button, dm, environmentAt, failureOf, outgoingText } from "../environment.ts";
import { mediaAt, troubles } from "../platform-under-test.ts";

const ANN = "16505551234";

apiContract({
  label: "WhatsApp",
  render: (markdown) => adapters.whatsapp.render(markdown),
  reads: ({ markup }) => markup,
  has: ["network", "replies", "downloads", "downloadsByAddress"],
  async start() {
    const platform = await startWhatsapp();
    const { id: messageId } = platform.write(platform.newPerson("Ann", { number: ANN }), { text: "hi" });
    const to = (chatId: string) => platform.sent.filter((each) => each.to === chatId);
    const mimeType = "image/png";
    const { access_token: token, app_secret: secret, verify_token: verifyToken } = platform.credentials;
    return {
      api: adapters.whatsapp.api(platform.credentials, environmentAt("whatsapp", platform.url)),
      secrets: [token, secret, verifyToken],
      place: dm(ANN),
      thread: undefined,
      message: { messageId, sender: { id: ANN, alternateId: undefined, name: "Ann" } },
      texts: ({ chatId }) =>
        to(chatId)
          .filter(({ file }) => file === undefined)
          .map(({ text, replyTo }) => ({ text, replyTo })),
      files: ({ chatId }) => to(chatId).flatMap(({ file }) => (file === undefined ? [] : [file.bytes])),
      trouble: troubles(platform, {
        // Meta quotes what it was given.
        unauthorized: { status: 401, json: { error: { code: 190, message: `Bad token ${token}` } } },
        refused: { status: 400, json: { error: { code: 131_008, message: `Missing, for ${token}` } } },
      }),
      callCount: () => platform.calls.length,
      file: (bytes) => mediaAt(platform.attach(bytes, { mimeType })),
      fileAt: (url) => mediaAt(platform.attach(new Uint8Array(3), { mimeType, url })),
      close: () => platform.close(),
    };
  },
});

const MB = 1024 * 1024;

const platform = await startWhatsapp();
afterAll(() => platform.close());

function api(fetchWith: typeof fetch = (input, init) => fetch(input, init)) {
  return whatsapp.api(platform.credentials, {
    ...environmentAt("whatsapp", platform.url),
    fetch: fetchWith,
  });
}

const last = () => platform.sent.at(-1);
const file = (mimeType: string, size: number, filename = "a") => ({
  place: dm(ANN),
  replyTo: undefined,
  nonce: "n",
  filename,
  mimeType,
  bytes: new Uint8Array(size),
});
const kindOf = (error: unknown) => (error instanceof PlatformFailure ? error.kind : error);

describe("a call at the Cloud API", () => {
  it("sends to a number and to a business-scoped id, each in its own field", async () => {
    await api().send(outgoingText(dm(ANN), "*hello*"));
    expect(last()).toMatchObject({ to: ANN, text: "*hello*" });
    const hidden = platform.newPerson("Bob").userId;
    await api().send(outgoingText(dm(hidden), "hello"));
    expect(last()).toMatchObject({ to: hidden, text: "hello" });
    expect(platform.lost).toEqual([]);
  });

  it("shows up to three short buttons below a short text", async () => {
    const buttons = [button("Allow once", "allow:1"), button("Always"), button("Deny")];
    await api().send(outgoingText(dm(ANN), "x".repeat(1_024), { buttons }));
    expect(last()).toMatchObject({ text: "x".repeat(1_024) });
    expect(last()?.buttons).toEqual([
      { id: "allow:1", title: "Allow once" },
      { id: "Always", title: "Always" },
      { id: "Deny", title: "Deny" },
    ]);
  });

  it.each([
    ["four buttons", "May I?", ["a", "b", "c", "d"]],
    ["a long label", "May I?", ["A label of 21 letters"]],
    ["a long text", "x".repeat(1_025), ["Allow"]],
  ])("lists the labels in the text for %s", async (_, text, labels) => {
    await api().send(outgoingText(dm(ANN), text, { buttons: labels.map((label) => button(label)) }));
    const list = labels.map((label) => `• ${label}`).join("\n");
    expect(last()).toMatchObject({ buttons: [], text: `${text}\n\nReply with one of these:\n${list}` });
  });

  it("cuts a text that is too long with its list", async () => {
    await api().send(outgoingText(dm(ANN), "😀".repeat(4_096), { buttons: [button("Allow")] }));
    expect(last()?.text).toMatch(/^(?:😀)+…\n\nReply with one of these:\n• Allow$/u);
  });

  it("shows that the bot writes beside the message that it replies to", async () => {
    const inbound = platform.write(platform.newPerson("Ann", { number: ANN }), { text: "hi" });
    await api().showTyping?.(dm(ANN), inbound.id);
    expect(platform.typing).toEqual([inbound.id]);
    const before = platform.calls.length;
    await api().showTyping?.(dm(ANN), undefined);
    expect(platform.calls.length).toBe(before);
  });

  it.each([
    ["+1 650 555-1234", ANN],
    ["US.13491208655302741918", "US.13491208655302741918"],
  ])("writes to %j at %j", async (userId, chatId) => {
    expect(await api().directPlace(userId)).toEqual(dm(chatId));
  });

  it("has no place for what is no number", async () => {
    expect(await failureOf(api().directPlace("ann"))).toMatchObject({ kind: "refused" });
  });

  it.each([
    [131_047, 400, "refused", /24 hours old.*write first/u],
    [131_026, 400, "refused", /cannot deliver to this person/u],
    [190, 401, "unauthorized", /access token has expired/u],
    [200, 403, "unauthorized", /error 200/u],
    [4, 400, "busy", /more calls/u],
    [130_429, 400, "busy", /more messages/u],
    [131_056, 400, "busy", /short time/u],
    [2, 503, "unreachable", /error 2/u],
    [133_010, 400, "refused", /not registered/u],
  ])("fails by the error's code: %d with the status %d is %s", async (code, status, kind, sentence) => {
    const error = { message: `(#${code}) told`, type: "OAuthException", code };
    platform.failNext({ kind: "answer", status, json: { error } });
    const failure = await failureOf(api().send(outgoingText(dm(ANN), "hello")));
    expect(failure).toMatchObject({
      kind,
      mayHaveHappened: false,
      message: expect.stringMatching(sentence),
    });
  });

  it("waits before the next message to the same person", async () => {
    platform.failNext({ kind: "answer", status: 400, json: { error: { code: 131_056 } } });
    expect(await failureOf(api().send(outgoingText(dm(ANN), "hello")))).toMatchObject({
      kind: "busy",
      retryAfterSeconds: 6,
    });
  });

  it.each([
    ["image/png", "image", undefined],
    ["audio/ogg; codecs=opus", "audio", undefined],
    ["video/mp4", "video", undefined],
    ["application/pdf", "document", "report"],
    ["application/json", "document", "report"],
  ])("sends a file of the type %s as %s", async (type, kind, filename) => {
    await api().sendFile?.(file(type, 5, "report"));
    expect(last()?.file).toMatchObject({ kind, filename, bytes: Buffer.alloc(5) });
  });

  it.each([
    ["application/zip", 5, /does not take files of the type application\/zip/u],
    ["image/png", 5 * MB + 1, /up to 5 MB/u],
    ["text/plain", 0, /empty/u],
  ])("does not upload a file that WhatsApp would refuse: %s of %d bytes", async (type, size, sentence) => {
    const before = platform.calls.length;
    const failure = await failureOf(api().sendFile?.(file(type, size)));
    expect(failure).toMatchObject({ kind: "refused", message: expect.stringMatching(sentence) });
    expect(platform.calls.length).toBe(before);
  });

  it.each([
    ["https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1", true],
    ["http://lookaside.fbsbx.com/1", false],
    ["https://lookaside.fbsbx.com.evil.example/1", false],
    ["https://evilfbsbx.com/1", false],
    ["https://lookaside.fbsbx.com:8443/1", false],
    ["https://user@evil.example/1", false],
  ])("fetches a file from %s: %j", async (url, isFetched) => {
    const id = platform.attach(new Uint8Array(3), { mimeType: "image/png", url });
    const addresses: string[] = [];
    const recording: typeof fetch = async (input, init) => {
      const address = input instanceof Request ? input.url : String(input);
      if (address.startsWith(platform.url)) return fetch(address, init);
      addresses.push(address);
      expect(new Headers(init?.headers).get("authorization")).toContain(platform.credentials.access_token);
      return new Response(new Uint8Array(3));
    };
    const outcome = await api(recording)
      .download?.(mediaAt(id), 10)
      .then(({ mimeType }) => mimeType, kindOf);
    expect(outcome).toBe(isFetched ? "image/png" : "refused");
    expect(addresses).toEqual(isFetched ? [url] : []);
  });

  it("does not begin a download that the API announces as too large", async () => {
    const id = platform.attach(new Uint8Array(11), { mimeType: "image/png" });
    const before = platform.calls.length;
    expect(await failureOf(api().download?.(mediaAt(id), 10))).toMatchObject({
      kind: "refused",
    });
    expect(platform.calls.length).toBe(before + 1);
    expect(await failureOf(api().download?.(mediaAt("../1"), 10))).toMatchObject({
      kind: "refused",
    });
  });
});
