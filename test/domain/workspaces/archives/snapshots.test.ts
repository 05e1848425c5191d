import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projects, snapshots } from "#src/db/schema/index.ts";
import {
  deleteSnapshots,
  latestSnapshot,
  restoreSnapshot,
  snapshotsOf,
  sweepSnapshots,
  takeSnapshot,
  type SnapshotWish,
} from "#src/domain/workspaces/archives/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";
import { memoryArchives } from "./memory-archives.ts";
import { MemoryFiles } from "./memory-files.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
});

/** A project with files and an archive of its own. */
async function newScene(limits = { MAX_SNAPSHOTS_PER_PROJECT: 20, SNAPSHOT_RETENTION_DAYS: 30 }) {
  const { db } = database;
  const owner = await newPerson(db, "owner");
  const wish = { name: "app", description: "", sourceType: "empty" } as const;
  const { id } = await createProject(database, owner.caller, wish);
  const archives = memoryArchives();
  const deps = { db, archives, log: createLog(), config: limits };
  const files = new MemoryFiles();
  const take = (fields: Partial<SnapshotWish> = {}) =>
    takeSnapshot(deps, files, { projectId: id, role: "checkpoint", label: "x", ...fields });
  const restore = (hash: string) => restoreSnapshot(deps, files, { projectId: id, hash });
  const hashes = async () => (await snapshotsOf(db, id)).map(({ hash }) => hash);
  const stored = (kind: "packs" | "manifests") =>
    [...archives.objects.keys()].filter((key) => key.startsWith(`snapshots/${id}/${kind}/`));
  const age = (key: string, hours = 48) => {
    const object = archives.objects.get(key);
    if (object) object.storedAt = new Date(Date.now() - hours * 3600 * 1000);
  };
  return { id, db, deps, archives, files, take, restore, hashes, stored, age };
}

describe("a snapshot", () => {
  it("stores only what has changed since the one before, and each one comes back whole", async () => {
    const { files, take, restore, stored, archives } = await newScene();
    files.write("large", "z".repeat(100_000));
    files.write("small", "one");
    const first = await take();
    const before = files.texts();
    files.write("small", "two");
    const second = await take();
    const [, pack = ""] = stored("packs");
    expect(archives.objects.get(pack)?.bytes.byteLength).toBeLessThan(5_000);
    const third = await take();
    expect(stored("packs")).toHaveLength(2);
    expect(new Set([first.hash, second.hash, third.hash]).size).toBe(3);
    expect(third).toMatchObject({ files: 2, bytes: 100_003 });
    files.write("small", "three");
    files.write("new", "four");
    await restore(first.hash);
    expect(files.texts()).toEqual(before);
    await restore(third.hash);
    expect(files.texts()).toEqual({ ...before, small: "two" });
  });

  it("stores nothing of files that are larger than a disk could hold, whether that is said before or while they are read", async () => {
    const { files, take, stored } = await newScene();
    files.write("holes", "x");
    const said = await files.inventory();
    const readEntries = files.readEntries.bind(files);
    files.inventory = async () => said.map((each) => ({ ...each, size: 2 ** 40 }));
    await expect(take()).rejects.toMatchObject({ code: "too_large" });
    files.inventory = async () => said;
    files.readEntries = async (paths) =>
      (async function* () {
        for await (const each of await readEntries(paths))
          yield { ...each, entry: { ...each.entry, size: 2 ** 40 } };
      })();
    await expect(take()).rejects.toMatchObject({ code: "too_large" });
    expect(stored("packs")).toEqual([]);
    expect(stored("manifests")).toEqual([]);
  });

  it("packs all anew when the packs would be too many, or half of what is in them is dead", async () => {
    const { db, id, files, take } = await newScene();
    files.write("large", "z".repeat(10_000));
    for (let count = 1; count <= 9; count += 1) {
      files.write(`f${count}`, `file ${count}`);
      await take();
    }
    const packs = (await snapshotsOf(db, id)).map((row) => row.packs.length);
    expect(packs).toEqual([1, 8, 7, 6, 5, 4, 3, 2, 1]);
    files.write("large", "small now");
    await take();
    expect((await latestSnapshot({ db }, id))?.packs).toHaveLength(1);
  });

  it("keeps a file that changes while it is read as it was read, and does not take it for known", async () => {
    const { files, take, restore } = await newScene();
    files.write("a", "old");
    files.write("gone", "gone");
    files.beforeRead = () => {
      files.write("a", "read");
      files.entries.delete("gone");
    };
    const { hash } = await take();
    files.beforeRead = () => undefined;
    // The content of the inventory comes back, under the fingerprint that it had.
    files.write("a", "old");
    const later = await take();
    await restore(hash);
    expect(files.texts()).toEqual({ a: "read" });
    await restore(later.hash);
    expect(files.texts()).toEqual({ a: "old" });
  });

  it.each(["packs", "manifests"] as const)("with a wrong bit in its %s changes nothing", async (kind) => {
    const { files, take, restore, stored, archives } = await newScene();
    files.write("a", "one");
    files.write("b", "two");
    const { hash } = await take();
    files.write("a", "now");
    for (const key of stored(kind)) {
      const bytes = archives.objects.get(key)?.bytes ?? new Uint8Array();
      // Of a pack: the content of its last file.
      const at = kind === "packs" ? bytes.lastIndexOf("o".charCodeAt(0)) : bytes.length - 30;
      for (const bit of [1, 2, 32]) {
        bytes[at] = (bytes[at] ?? 0) ^ bit;
        await expect(restore(hash)).rejects.toMatchObject({
          code: "unavailable",
          message: expect.stringContaining("damaged"),
        });
        bytes[at] = (bytes[at] ?? 0) ^ bit;
      }
      archives.objects.delete(key);
      await expect(restore(hash)).rejects.toThrow("damaged");
      archives.objects.set(key, { bytes, storedAt: new Date() });
    }
    expect(files.texts()).toEqual({ a: "now", b: "two" });
    await restore(hash);
    expect(files.texts()).toEqual({ a: "one", b: "two" });
  });

  it("that cannot be read any more is followed by a whole one", async () => {
    const { files, take, restore, stored, archives } = await newScene();
    files.write("a", "one");
    await take();
    archives.objects.delete(stored("manifests")[0] ?? "");
    const { hash } = await take();
    files.write("a", "two");
    await restore(hash);
    expect(files.texts()).toEqual({ a: "one" });
  });

  it("that is cut off is not there, and what it left goes after a day", async () => {
    const { deps, files, take, hashes, stored, archives, age } = await newScene();
    files.write("a", "one");
    const { hash } = await take();
    files.write("a", "two");
    const put = archives.put.bind(archives);
    archives.put = async (key, body) => {
      const done = await put(key, body);
      if (key.includes("/packs/")) throw new Error("Killed");
      return done;
    };
    await expect(take()).rejects.toThrow("Killed");
    archives.put = put;
    const given = new AbortController();
    files.beforeRead = () => given.abort(new Error("Given up"));
    await expect(take({ signal: given.signal })).rejects.toThrow("Given up");
    expect(await hashes()).toEqual([hash]);
    for (const key of archives.objects.keys()) age(key, 23);
    await sweepSnapshots(deps);
    expect(stored("packs").length).toBeGreaterThan(1);
    for (const key of archives.objects.keys()) age(key);
    await sweepSnapshots(deps);
    expect(stored("packs")).toHaveLength(1);
    expect(stored("manifests")).toEqual([expect.stringContaining(hash)]);
  });

  it("does not point into a pack that goes while it is taken", async () => {
    const { db, id, deps, files, take, restore, archives } = await newScene();
    files.write("a", "one");
    await take();
    files.write("b", "two");
    files.beforeRead = async () => {
      files.beforeRead = () => undefined;
      await db.delete(snapshots).where(eq(snapshots.projectId, id));
      await deleteSnapshots(deps, id);
    };
    const { hash } = await take();
    files.entries.clear();
    await restore(hash);
    expect(files.texts()).toEqual({ a: "one", b: "two" });
    expect(archives.objects.size).toBeGreaterThan(0);
  });

  it("of a project that is gone is not recorded", async () => {
    const { db, id, files, take } = await newScene();
    files.write("a", "one");
    await db.delete(projects).where(eq(projects.id, id));
    await expect(take()).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("of many snapshots", () => {
  it("the newest of each role stay, with the packs that they need", async () => {
    const { files, take, restore, hashes, stored } = await newScene({
      MAX_SNAPSHOTS_PER_PROJECT: 2,
      SNAPSHOT_RETENTION_DAYS: 30,
    });
    files.write("kept", "k".repeat(1000));
    const agent = await take({ role: "agent" });
    const taken: string[] = [];
    for (const text of ["one", "two", "three"]) {
      files.write("a", text);
      taken.push((await take()).hash);
    }
    const asleep = [await take({ role: "hibernation" }), await take({ role: "hibernation" })];
    expect(await hashes()).toEqual([asleep[1]?.hash, taken[2], taken[1], agent.hash]);
    expect(stored("manifests")).toHaveLength(4);
    expect(stored("packs")).toHaveLength(3);
    await restore(taken[1] ?? "");
    expect(files.texts()).toMatchObject({ a: "two" });
    await expect(restore(taken[0] ?? "")).rejects.toMatchObject({ code: "not_found" });
  });

  it("those of long ago go at night, but for the one that a project sleeps in", async () => {
    const { db, id, deps, files, take, restore, hashes } = await newScene();
    files.write("a", "one");
    await take();
    const { hash } = await take({ role: "hibernation" });
    await db
      .update(snapshots)
      .set({ createdAt: sql`now() - interval '31 days'` })
      .where(eq(snapshots.projectId, id));
    await sweepSnapshots(deps);
    expect(await hashes()).toEqual([hash]);
    files.entries.clear();
    await restore(hash);
    expect(files.texts()).toEqual({ a: "one" });
  });

  it("each stands when several are taken and pruned at once", async () => {
    const { files, take, restore, hashes } = await newScene({
      MAX_SNAPSHOTS_PER_PROJECT: 2,
      SNAPSHOT_RETENTION_DAYS: 30,
    });
    files.write("kept", "k".repeat(1000));
    await take();
    for (let round = 1; round <= 3; round += 1) {
      files.write("a", `round ${round}`);
      await Promise.all(Array.from({ length: 4 }, () => take()));
    }
    const left = await hashes();
    expect(left).toHaveLength(2);
    for (const hash of left) {
      await restore(hash);
      expect(files.texts()).toMatchObject({ a: "round 3" });
    }
  });
});
