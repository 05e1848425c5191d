import { setImmediate as nextTurn } from "node:timers/promises";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ChannelApi, OutgoingText, Place, ReceivedClick } from "#src/channels/channel.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { serve } from "#local/serve.ts";
import { png } from "#test/support/pictures.ts";
import { clickOn, failureOf, outgoingText } from "./environment.ts";
import {
  BUSY_SECONDS,
  type PlatformUnderTest,
  type RunningPlatform,
  type SeenText,
  type Trouble,
} from "./platform-under-test.ts";

const LONG = `# Title & <tag>

First **bold**, _italic_, \`code\`, ~~gone~~ and [link](https://example.com/a_b?c=1&d=2) 😀 à 你好.

\`\`\`ts
const x = a < b && c > d; // *not* _markup_
\`\`\`

${Array.from({ length: 200 }, (_, line) => `- item ${line} with *some* words`).join("\n")}
`;

const PNG = Uint8Array.from(png(1, 1));

/** What the calls of every channel owe the service. */
export function apiContract(platform: PlatformUnderTest): void {
  const { has, render, reads } = platform;

  describe(`contract of a channel's calls: ${platform.label}`, () => {
    let running: RunningPlatform;
    beforeAll(async () => {
      running = await platform.start();
    });
    afterEach(() => {
      vi.useRealTimers();
    });
    afterAll(() => running.close());

    const say = sayWith(render);
    const send = async (markdown: string, place = running.place) =>
      running.api.send(await say(place, markdown));
    const last = async (place = running.place) => (await running.texts(place)).at(-1);

    it("says who the bot is", async () => {
      const self = await running.api.identify();
      expect(Object.keys(self)).toEqual(expect.arrayContaining(["botId", "botName"]));
    });

    it("sends a text once and whole, and in its order", async () => {
      const before = (await running.texts(running.place)).length;
      const pieces = await render(LONG);
      const ids: unknown[] = [];
      for (const text of pieces) {
        ids.push((await running.api.send(outgoingText(running.place, "", { text }))).messageId);
      }
      const seen = (await running.texts(running.place)).slice(before);
      expect(seen.map(({ text }) => text)).toEqual(pieces.map(reads));
      expect(ids).not.toContain(undefined);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it("shows the labels of buttons", async () => {
      const buttons = [
        { label: "Allow once", data: "allow:1", style: "primary" as const },
        { label: "Deny", data: "deny:1", style: "danger" as const },
      ];
      const { messageId } = await running.api.send({ ...(await say(running.place, "May I?")), buttons });
      expect(messageId).toBeDefined();
      expect((await last())?.text).toContain("May I?");
    });

    it("writes to a person in private", async () => {
      const place = await running.api.directPlace(running.message.sender.id);
      expect(place.chatType).toBe("dm");
      await send("only for you", place);
      expect(await last(place)).toMatchObject({ text: "only for you" });
    });

    it("edits and deletes what it sent, again without a failure", async () => {
      const { api, place } = running;
      const { messageId = "" } = await send("first");
      const [text = { markup: "", plain: "" }] = await render("second");
      await api.edit?.({ place, messageId, text });
      await api.edit?.({ place, messageId, text });
      const edited = await last();
      await api.remove?.({ place, messageId });
      await api.remove?.({ place, messageId });
      expect(edited?.text).toBe(api.edit === undefined ? "first" : "second");
    });

    it("reacts to a message, and shows that it writes", async () => {
      const { api, place, message } = running;
      await api.react?.({ place, ...message }, "👀");
      await api.react?.({ place, ...message }, "👀");
      await api.showTyping?.(place, message.messageId);
      await api.showTyping?.(place, undefined);
      await expect(api.identify()).resolves.toBeDefined();
    });

    const tools = { running: () => running, say, last };
    describeFiles(tools);
    if (has.includes("replies")) describeReplies(tools);
    if (has.includes("threads")) describeThreads(tools);
    if (has.includes("network")) describeTroubles(tools);
    if (has.includes("downloads")) describeDownloads(tools, has.includes("downloadsByAddress"));
  });
}

function sayWith(render: PlatformUnderTest["render"]): Tools["say"] {
  return async (place, markdown) => {
    const [text = { markup: markdown, plain: markdown }] = await render(markdown);
    return outgoingText(place, "", { text });
  };
}

/** A platform, once it runs, and how a test writes there. */
interface Tools {
  running: () => RunningPlatform;
  /** A text for a place. */
  say: (place: Place, markdown: string) => Promise<OutgoingText>;
  /** The last text of the bot; at its place, unless it is said. */
  last: (place?: Place) => Promise<SeenText | undefined>;
}

function describeReplies({ running, say, last }: Tools): void {
  it("replies to the message that it is given", async () => {
    const { messageId: replyTo } = running().message;
    await running().api.send({ ...(await say(running().place, "a reply")), replyTo });
    expect(await last()).toMatchObject({ replyTo });
    await running().api.send(await say(running().place, "no reply"));
    expect(await last()).toMatchObject({ replyTo: undefined });
  });
}

function describeThreads({ running, say, last }: Tools): void {
  it("stays in the thread", async () => {
    const before = (await running().texts(running().place)).length;
    const { api, place, thread = place } = running();
    await api.send(await say(thread, "in the thread"));
    expect(await last(running().thread)).toMatchObject({ text: "in the thread" });
    expect((await running().texts(running().place)).length).toBe(before);
  });
}

function describeFiles({ running }: Tools): void {
  it("sends a file whole", async () => {
    const file = { filename: "pixel.png", mimeType: "image/png", bytes: PNG };
    const { place } = running();
    const sent = await running().api.sendFile?.({ ...file, place, replyTo: undefined, nonce: "file-1" });
    expect(sent).toBeDefined();
    expect(Buffer.from((await running().files(place)).at(-1) ?? [])).toEqual(Buffer.from(PNG));
  });
}

function describeTroubles({ running, say }: Tools): void {
  /** The failure of a text that meets a trouble. */
  const meets = async (trouble: Trouble) => {
    const { api, place } = running();
    const message = await say(place, "hello");
    await running().trouble(trouble);
    return failureOf(api.send(message));
  };

  it("is busy for as long as the platform says", async () => {
    const { kind, retryAfterSeconds, mayHaveHappened } = await meets("busy");
    expect({ kind, retryAfterSeconds, mayHaveHappened }).toEqual({
      kind: "busy",
      retryAfterSeconds: BUSY_SECONDS,
      mayHaveHappened: false,
    });
  });

  it.each(["error", "garbage", "lost"] as const)(
    "is unreachable after %j, and the text may have been sent",
    async (trouble) => {
      expect(await meets(trouble)).toMatchObject({ kind: "unreachable", mayHaveHappened: true });
    },
  );

  it("sends the same text twice, or once if it says that it does", async () => {
    const { api, place } = running();
    const before = (await running().texts(place)).length;
    const message = await say(place, "an attempt");
    await running().trouble("lost");
    await failureOf(api.send(message));
    await api.send(message);
    const seen = (await running().texts(place)).slice(before);
    expect(seen.map(({ text }) => text)).toEqual(Array(api.sendsOnce ? 1 : 2).fill("an attempt"));
  });

  it("waits for no answer longer than 20 s", async () => {
    const { api, place } = running();
    const message = await say(place, "hello");
    await running().trouble("hang");
    const before = await running().callCount();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const failure = failureOf(api.send(message));
    while ((await running().callCount()) === before) await nextTurn();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await failure).toMatchObject({ kind: "unreachable", mayHaveHappened: true });
  });

  it("is unauthorized when the credentials are no longer good", async () => {
    expect(await meets("unauthorized")).toMatchObject({ kind: "unauthorized" });
    await running().trouble("unauthorized");
    expect(await failureOf(running().api.identify())).toMatchObject({ kind: "unauthorized" });
  });

  it("is refused when the same call can never work, with a sentence", async () => {
    const failure = await meets("refused");
    expect(failure).toMatchObject({ kind: "refused", mayHaveHappened: false });
    expect(failure.message).toMatch(/^[A-Z].{10,}[.]$/u);
  });

  it.each(["busy", "error", "garbage", "lost", "unauthorized", "refused"] as const)(
    "throws PlatformFailure alone when any call meets %j, without a secret",
    async (trouble) => {
      const { secrets } = running();
      for (const [name, call] of await callsOf(running(), say)) {
        await running().trouble(trouble);
        const outcome = await call().then(
          () => undefined,
          (error: unknown) => error,
        );
        // A trouble that the call did not meet is met here.
        await running()
          .api.identify()
          .catch(() => undefined);
        if (outcome === undefined) continue;
        expect({ name, isFailure: outcome instanceof PlatformFailure, outcome }).toMatchObject({
          isFailure: true,
        });
        const shown = inspect(outcome, { depth: 10, showHidden: true });
        expect({ name, found: secrets.filter((secret) => shown.includes(secret)) }).toEqual({
          name,
          found: [],
        });
      }
    },
  );
}

/** Every call that the platform offers, once. */
async function callsOf(
  { api, place, message, file }: RunningPlatform,
  say: Tools["say"],
): Promise<[name: keyof ChannelApi, call: () => Promise<unknown>][]> {
  const text = await say(place, "hello");
  const { messageId = "" } = await api.send(text);
  const media = await file?.(PNG);
  const pixel = { filename: "pixel.png", mimeType: "image/png", bytes: PNG, nonce: "pixel" };
  const click: ReceivedClick = { ...clickOn(messageId, place, ""), confirmation: undefined };
  const all: [keyof ChannelApi, () => Promise<unknown> | undefined][] = [
    ["identify", () => api.identify()],
    ["send", () => api.send(text)],
    ["sendFile", () => api.sendFile?.({ ...pixel, place, replyTo: undefined })],
    ["edit", () => api.edit?.({ place, messageId, text: { markup: "other", plain: "other" } })],
    ["showTyping", () => api.showTyping?.(place, message.messageId)],
    ["react", () => api.react?.({ place, ...message }, "👀")],
    ["confirmClick", () => api.confirmClick?.(click, "Done")],
    ["directPlace", () => api.directPlace(message.sender.id)],
    ["download", () => media && api.download?.(media, PNG.byteLength)],
    ["registerWebhook", () => api.registerWebhook?.("https://service.test/hook", "s3cret-of-the-hook")],
    ["removeWebhook", () => api.removeWebhook?.()],
    ["remove", () => api.remove?.({ place, messageId })],
  ];
  return all
    .filter(([name]) => api[name] !== undefined)
    .map(([name, call]): [keyof ChannelApi, () => Promise<unknown>] => [name, async () => call()]);
}

function describeDownloads({ running }: Tools, byAddress: boolean): void {
  const fetchFile = async (size: number, maxBytes: number) => {
    const bytes = Uint8Array.from({ length: size }, (_, at) => at % 251);
    const media = await running().file?.(bytes);
    if (media === undefined) throw new Error("The platform has no files");
    return { bytes, fetched: running().api.download?.({ ...media, size: undefined }, maxBytes) };
  };

  it("fetches a file whole, as large as it may be", async () => {
    const { bytes, fetched } = await fetchFile(70_000, 70_000);
    const file = await fetched;
    expect(Buffer.from(file?.bytes ?? [])).toEqual(Buffer.from(bytes));
    expect(file?.mimeType).toMatch(/^[\w.+-]+\/[\w.+-]+/u);
  });

  it("refuses a file that is larger, whatever was said before", async () => {
    const { fetched } = await fetchFile(70_000, 69_999);
    expect(await failureOf(fetched)).toMatchObject({ kind: "refused" });
  });

  if (!byAddress) return;

  it("fetches nothing from a foreign host", async () => {
    const asked: unknown[] = [];
    const foreign = await serve((request, response) => {
      asked.push(request.url);
      response.writeHead(200, { "content-type": "image/png" }).end(PNG);
    });
    try {
      const media = await running().fileAt?.(`${foreign.url}/pixel.png`);
      if (media === undefined) throw new Error("The platform has no addresses of files");
      expect(await failureOf(running().api.download?.(media, 1_000))).toMatchObject({ kind: "refused" });
      expect(asked).toEqual([]);
    } finally {
      await foreign.close();
    }
  });
}
