import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { projects } from "#src/db/schema/index.ts";
import { replyToTask } from "#src/domain/messaging/deliveries/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { MediaWorld } from "./support/media-world.ts";
import { Outbox } from "./support/outbox.ts";

const database = await fileDatabase();
const outbox = new Outbox(database.db);

const FILES = { "out/table.csv": "a,b", "report.txt": "All is well.", "src/a.ts": "" };

/** A person's finished task, whose answer is this one. */
async function answered(response: string, files: Record<string, string> = FILES) {
  const world = await MediaWorld.open(database.db, { files });
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
