import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { chatAttachments, chats, projects } from "#src/db/schema/index.ts";
import { sweepMedia } from "#src/domain/messaging/media/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { replyToTask } from "#src/domain/messaging/deliveries/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { png } from "#test/support/pictures.ts";
import { partOf } from "#test/support/part-of.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { DigestStream, MediaWorld } from "./support/media-world.ts";
import { Outbox } from "./support/outbox.ts";

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

const outbox = new Outbox(database.db);

const FILES = { "out/table.csv": "a,b", "report.txt": "All is well.", "src/a.ts": "" };

/** A person's finished task, whose answer is this one. */
async function answered(response: string, files: Record<string, string> = FILES) {
  const world = await open({ files });
  await world.say("Do it", []);
  const [task] = await world.tasks();
  const taskId = task?.id ?? "";
  await world.finish(taskId, response);
  const reply = async (deps = world.deps) => replyToTask(deps, taskId);
  const artifacts = async () => (await world.rows()).filter(({ kind }) => kind === "artifact");
  return { world, taskId, reply, artifacts };
}

/** A file's attempt that was postponed is due. */
async function again(world: MediaWorld, id: string): Promise<void> {
  await outbox.pass(id, 300);
  await outbox.deliver(world.deps, id);
}

describe("the files that a reply links to", () => {
  it("are sent after the text, in their order, once", async () => {
    const text = "See ![table](out/table.csv), [report](report.txt) and [none](missing.txt).";
    const { world, taskId, reply, artifacts } = await answered(text);
    await reply();
    await reply();
    expect(world.shown).toEqual([
      expect.stringContaining("See "),
      "table.csv (text/csv; charset=utf-8): a,b",
      "report.txt (text/plain; charset=utf-8): All is well.",
    ]);
    expect(await artifacts()).toMatchObject(
      ["out/table.csv", "report.txt"].map((path) => ({
        content: path,
        status: "delivered",
        taskId,
        occasion: `task:${taskId}:file:${path}`,
      })),
    );
  });

  it("cost a reply without links no query", async () => {
    const { reply, artifacts, world } = await answered("No link, and `[code](report.txt)`.");
    world.runtime.stat = async () => {
      throw new Error("The project was asked");
    };
    await reply();
    expect(await artifacts()).toEqual([]);
  });

  it.each<[string, (world: MediaWorld) => unknown, string]>([
    ["the platform takes no files", (world) => (world.sendFile = undefined), "it cannot be sent here"],
    [
      "the platform refuses them",
      (world) => (world.sendFile = () => Promise.reject(new PlatformFailure("refused", "Too large"))),
      "it cannot be sent here",
    ],
    [
      "they are larger than 25 MiB",
      (world) => world.runtime.writeFile("report.txt", new Uint8Array(26_214_401)),
      "it is too large to be sent",
    ],
  ])("are lines where %s", async (_, change, reason) => {
    const { world, reply, artifacts } = await answered("[report](report.txt)");
    await change(world);
    await reply();
    expect(world.shown[1]).toBe(`report.txt is in the project: ${reason}.`);
    expect(await artifacts()).toMatchObject([{ status: "delivered" }]);
  });

  it("are sent again when the platform fails for the moment, with a mark if it may have taken them", async () => {
    const { world, reply, artifacts } = await answered("[report](report.txt)");
    const { sendFile } = world;
    world.sendFile = () =>
      Promise.reject(new PlatformFailure("unreachable", "Gone", { mayHaveHappened: true }));
    await reply();
    expect(await artifacts()).toMatchObject([{ status: "pending", error: "Gone", mayBeSent: true }]);
    world.sendFile = sendFile;
    for (const { id } of await artifacts()) await again(world, id);
    expect(world.shown.slice(1)).toEqual([
      "(This may be a repetition.)",
      expect.stringContaining("All is well."),
    ]);
  });

  it("wait for a project that does not respond, and become lines in the end", async () => {
    const { world, reply, artifacts } = await answered("[report](report.txt)");
    world.runtime.readStream = async () => {
      throw new AppError("unavailable", "The project is waking up");
    };
    await reply();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const [file] = await artifacts();
      expect(file).toMatchObject({ status: "pending" });
      expect(await outbox.job(file?.id ?? "")).toMatchObject({ attempts: attempt });
      await again(world, file?.id ?? "");
    }
    expect(world.shown[1]).toBe("report.txt is in the project: it could not be read to be sent.");
  });

  it("stay here with the reply when the task's user has lost the project before they are sent", async () => {
    const { world, reply, artifacts } = await answered("[report](report.txt)");
    const other = await newColleague(database.db);
    // Redis hears of the reply when it and its files are stored, and names them.
    const refs: string[] = [];
    const append = async (entry: { artifact_refs: string }) => void refs.push(entry.artifact_refs);
    const { runtime } = world;
    const stat = runtime.stat.bind(runtime);
    runtime.stat = async (path) => {
      const found = await stat(path);
      await database.db
        .update(projects)
        .set({ ownerId: other.id, teamId: other.personalTeamId })
        .where(eq(projects.id, world.at.channel.projectId ?? ""));
      return found;
    };
    await reply({ ...world.deps, deliveryStream: partOf({ ...world.deps.deliveryStream, append }) });
    expect(refs).toEqual([JSON.stringify((await artifacts()).map(({ id }) => id))]);
    expect(world.shown).toEqual([]);
    expect(await artifacts()).toMatchObject([{ status: "failed" }]);
  });

  it("fail with their text where the service runs without Redis", async () => {
    const { world, reply, artifacts } = await answered("[report](report.txt)");
    await reply({ ...world.deps, deliveryStream: undefined });
    expect(world.shown).toEqual([]);
    expect(await artifacts()).toMatchObject([{ status: "failed", error: expect.stringContaining("Redis") }]);
  });
});
