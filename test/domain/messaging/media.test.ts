import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { chatAttachments, chats } from "#src/db/schema/index.ts";
import { sweepMedia } from "#src/domain/messaging/media/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { fileDatabase } from "#test/support/database.ts";
import { png } from "#test/support/pictures.ts";
import { partOf } from "#test/support/part-of.ts";
import { DigestStream, MediaWorld } from "./support/media-world.ts";

const PNG = Uint8Array.from(png(3, 2));

const database = await fileDatabase();
beforeAll(() => {
  Object.assign(crypto, { DigestStream });
});
afterAll(() => void Reflect.deleteProperty(crypto, "DigestStream"));

const down = () => Promise.reject(new AppError("unavailable", "The cache did not answer"));

/** What a start takes, at a moment at which the person has as many agents as may run. */
function withoutRoom(world: MediaWorld): MediaWorld["deps"] {
  return {
    ...world.deps,
    modelSettings: {
      get platformModels(): never {
        throw new AppError("rate_limited", "Too many agents");
      },
    },
  };
}

const open = (options?: Parameters<typeof MediaWorld.open>[1]) => MediaWorld.open(database.db, options);

describe("a voice message", () => {
  it("becomes the text of the message, behind its caption", async () => {
    const world = await open();
    await world.say("Please:", [world.has("Count the files")]);
    expect(await world.tasks()).toMatchObject([{ message: "Please:\n\nCount the files" }]);
    expect((await world.rows())[0]).toMatchObject({
      direction: "inbound",
      content: "Please:\n\nCount the files",
    });
    expect(world.shown).toEqual([]);
  });

  it.each<[string, (world: MediaWorld) => void, string]>([
    ["there is no transcription", (world) => (world.transcribe = undefined), "not transcribed here"],
    [
      "the transcription fails",
      (world) => (world.transcribe = () => Promise.reject(new AppError("unavailable", "down"))),
      "could not be transcribed",
    ],
    ["no words are heard", (world) => (world.transcribe = async () => ""), "no words were heard"],
  ])("does not run the agent when %s: the person is told", async (_, breakIt, words) => {
    const world = await open();
    breakIt(world);
    await world.say("", [world.has("Hello")]);
    expect(world.shown).toEqual([expect.stringContaining(words)]);
    expect(await world.tasks()).toEqual([]);
    await world.advance();
    expect(world.shown).toHaveLength(1);
    // It does not stop the text beside another one.
    await world.say("And this", [world.has("Hello")]);
    expect(await world.tasks()).toMatchObject([{ message: "And this" }]);
  });

  it.each(["voiceHour", "voiceDay"] as const)("is one of as many as the limit %s allows", async (rule) => {
    const world = await open({ limits: { [rule]: 1 } });
    await world.say("", [world.has("One"), world.has("Two")]);
    expect(world.heard).toEqual(["One"]);
    expect(await world.tasks()).toMatchObject([{ message: "One" }]);
    expect(world.shown).toEqual([expect.stringMatching(/too many.*try again in 15 minutes/u)]);
  });
});

describe("a picture or document", () => {
  it("becomes an attachment in the session's new chat, and the next message goes on there", async () => {
    const world = await open();
    const files = [
      world.has(PNG, { kind: "image", mimeType: "image/jpeg" }),
      world.has("a,b", { kind: "document", filename: "table.csv", mimeType: "text/csv" }),
    ];
    await world.say("", files);
    const [task] = await world.tasks();
    expect(task).toMatchObject({
      message: "(Sent without text: picture.png, table.csv)",
      metadata: {
        attachments: [
          { type: "image", mime_type: "image/png", label: "picture.png", attachment_id: expect.any(String) },
          { type: "file_reference", mime_type: "text/csv", label: "table.csv" },
        ],
      },
      source: { kind: "channel", platform: "telegram" },
    });
    expect(world.runtime.writes).toHaveLength(2);
    await world.finish(task?.id ?? "", "Seen.");
    await world.say("What is in it?");
    const [, next] = await world.tasks();
    expect(next).toMatchObject({ message: "What is in it?", chatId: task?.chatId });
  });

  it("is fetched and stored once, as a voice message is transcribed once, also when the task could not be started", async () => {
    const world = await open();
    await world.receive("Look", [world.has(PNG, { kind: "image" }), world.has("Hello")]);
    expect(await world.advance(withoutRoom(world))).toEqual({ retryAfterSeconds: 15 });
    expect(await world.advance()).toBeUndefined();
    const { userId } = world.at;
    expect(await database.db.$count(chatAttachments, eq(chatAttachments.userId, userId))).toBe(1);
    expect(await database.db.$count(chats, eq(chats.userId, userId))).toBe(1);
    expect(await world.tasks()).toMatchObject([{ message: "Look\n\nHello" }]);
    expect([world.fetched.length, world.heard]).toEqual([2, ["Hello"]]);
  });

  it("that claims to be a picture, and is none or a damaged one, is a file", async () => {
    const world = await open();
    await world.say("Look", [
      world.has("<svg/>", { kind: "image", mimeType: "image/png", filename: "a.png" }),
      world.has(PNG.subarray(0, 30), { kind: "image", mimeType: "image/png", filename: "b.png" }),
    ]);
    const file = { type: "file_reference", mime_type: "application/octet-stream" };
    expect(await world.tasks()).toMatchObject([{ metadata: { attachments: [file, file] } }]);
  });

  it("of another kind is named to the person as not taken, and starts no task by itself", async () => {
    const world = await open();
    await world.say("", [{ kind: "other", name: "sticker" }]);
    expect(world.shown).toEqual([
      "The sticker was not taken: only text, voice messages, pictures and documents are read here.",
    ]);
    expect(world.fetched).toEqual([]);
    expect(await world.tasks()).toEqual([]);
    await world.say("Look", [{ kind: "other", name: "poll" }]);
    expect(world.shown).toHaveLength(2);
    expect(await world.tasks()).toMatchObject([{ message: "Look" }]);
  });

  it("above 25 MB is refused without a fetch, and the person is told which one", async () => {
    const world = await open();
    const large = world.has("x", { kind: "document", filename: "film.mp4", size: 25_000_001 });
    await world.say("Look", [large, world.has(PNG, { kind: "image" })]);
    expect(world.fetched).toHaveLength(1);
    expect(world.shown).toEqual(["The file film.mp4 was not taken: it is larger than 25 MB."]);
    const [task] = await world.tasks();
    expect(task?.metadata).toMatchObject({ attachments: [{ type: "image" }] });
  });

  it.each([
    ["refuses it", "refused", "The file is gone.", /was not taken: The file is gone\./u, 1],
    ["does not respond", "unreachable", "https://secret", /was not taken: the platform did not/u, 2],
    ["rejects the bot", "unauthorized", "The token is wrong", /was not taken: the platform did not/u, 1],
  ] as const)("is told to the person when the platform %s", async (_, kind, message, words, calls) => {
    const world = await open();
    await world.receive("", [world.has(new PlatformFailure(kind, message), { kind: "document" })]);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const advance = world.advance();
    // The wait moves the clock on, over the pause before the second call.
    await vi.waitFor(() => expect(world.fetched).toHaveLength(calls));
    vi.useRealTimers();
    await advance;
    expect(world.shown).toEqual([expect.stringMatching(words)]);
    expect(await world.tasks()).toEqual([]);
  });

  it("is read by one executor at a time", async () => {
    const world = await open({ limits: { mediaReader: 1 } });
    await world.receive("Look", [world.has(PNG, { kind: "image" })]);
    const platform = Promise.withResolvers<void>();
    world.held = platform.promise;
    const first = world.advance();
    await vi.waitFor(() => expect(world.fetched).toHaveLength(1));
    expect(await world.advance()).toEqual({ retryAfterSeconds: 15 });
    platform.resolve();
    expect(await first).toBeUndefined();
    expect(world.fetched).toHaveLength(1);
    expect(await world.tasks()).toHaveLength(1);
  });
});

describe("the cache of media", () => {
  it("names files by channel and hash, and by nothing of the reference", async () => {
    const [one, other] = [await open(), await open()];
    const reference = "https://platform.test/file?token=secret";
    for (const world of [one, other]) {
      world.files.set(reference, Uint8Array.from(new TextEncoder().encode("Hi")));
      await world.say("", [{ ...world.has("x"), reference }]);
    }
    const keys = [...one.cache.keys()];
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(key).toMatch(new RegExp(`^media/${one.at.channel.id}/[0-9a-f]{64}(\\.txt)?$`, "u"));
    }
    expect(keys.some((key) => other.cache.has(key))).toBe(false);
  });

  it("may fail without harm", async () => {
    const world = await open();
    await world.receive("", [world.has("Hello")]);
    await world.advance({ ...world.deps, mediaCache: partOf({ get: down, put: down }) });
    expect(await world.tasks()).toMatchObject([{ message: "Hello" }]);
  });

  it("forgets what is older than its age, and touches nothing else", async () => {
    const hour = 3_600_000;
    const id = crypto.randomUUID();
    const names = {
      [`media/${id}/${"a".repeat(64)}`]: 25,
      [`media/${id}/${"b".repeat(64)}.txt`]: 25,
      [`media/${id}/${"c".repeat(64)}`]: 23,
      [`media/${id}/packs/1.tar`]: 25,
    };
    const deleted: string[] = [];
    await sweepMedia({
      mediaCache: partOf({
        async *list(prefix: string) {
          expect(prefix).toBe("media/");
          for (const [key, age] of Object.entries(names)) {
            yield { key, storedAt: new Date(Date.now() - age * hour) };
          }
        },
        delete: async (keys: readonly string[]) => void deleted.push(...keys),
      }),
      config: { GATEWAY_MEDIA_CACHE_DIR: "media", GATEWAY_MEDIA_CACHE_MAX_AGE_HOURS: 24 },
    });
    expect(deleted).toEqual(Object.keys(names).slice(0, 2));
  });
});
