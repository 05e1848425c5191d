import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { projects, snapshots } from "#src/db/schema/index.ts";
import {
  deleteSnapshots,
  latestSnapshot,
  restoreSnapshot,
  snapshotsOf,
  sweepSnapshots,
  takeSnapshot,
  type SnapshotInput,
} from "#src/domain/workspaces/archives/index.ts";
import { diffSnapshot } from "#src/domain/workspaces/snapshots/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { InventoryEntry } from "#src/platform/runtime/project-storage.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { memoryArchives } from "./memory-archives.ts";
import { MemoryFiles } from "./memory-files.ts";

const database = await fileDatabase();

/** A project with files and an archive of its own, of which so many snapshots are kept. */
async function newScene({ most = 20, files = new MemoryFiles() } = {}) {
  const { db } = database;
  const owner = await newColleague(db);
  const { id } = await newProject(db, owner);
  const archives = memoryArchives();
  const config = { MAX_SNAPSHOTS_PER_PROJECT: most, SNAPSHOT_RETENTION_DAYS: 30 };
  const deps = { db, archives, log: createLog(), config };
  const take = (fields: Partial<SnapshotInput> = {}) =>
    takeSnapshot(deps, files, { projectId: id, role: "checkpoint", label: "x", ...fields });
  const restore = (hash: string) => restoreSnapshot(deps, files, { projectId: id, hash });
  const hashes = async () => (await snapshotsOf(db, id)).map(({ hash }) => hash);
  const stored = (kind: "packs" | "manifests") =>
    [...archives.objects.keys()].filter((key) => key.startsWith(`snapshots/${id}/${kind}/`));
  const age = (key: string, hours = 48) => {
    const object = archives.objects.get(key);
    if (object) object.storedAt = new Date(Date.now() - hours * 3600 * 1000);
  };
  return { id, owner, db, deps, archives, files, take, restore, hashes, stored, age };
}

describe("a snapshot", () => {
  it("stores only what has changed since the one before, and each one comes back whole", async () => {
    const { files, take, restore, stored, archives } = await newScene();
    files.write("large", "z".repeat(100_000));
    files.write("small", "one");
    // Stored with the others, and not counted.
    files.write(".git/HEAD", "ref: refs/heads/main");
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
      const right = bytes[at] ?? 0;
      bytes[at] = right ^ 2;
      const damaged = { code: "unavailable", message: expect.stringContaining("damaged") };
      await expect(restore(hash)).rejects.toMatchObject(damaged);
      bytes[at] = right;
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
    const { files, take, restore, hashes, stored } = await newScene({ most: 2 });
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
    const { files, take, restore, hashes } = await newScene({ most: 2 });
    files.write("kept", "k".repeat(1000));
    await take();
    for (const round of ["round 1", "round 2"]) {
      files.write("a", round);
      await Promise.all(Array.from({ length: 4 }, () => take()));
    }
    const left = await hashes();
    expect(left).toHaveLength(2);
    for (const hash of left) {
      await restore(hash);
      expect(files.texts()).toMatchObject({ a: "round 2" });
    }
  });
});

/** Files whose fingerprints tell nothing of their content, as in a runtime on a file system. */
class ClockedFiles extends MemoryFiles {
  clock = 0;

  override async inventory(): Promise<InventoryEntry[]> {
    const entries = await super.inventory();
    return entries.map((entry) => ({ ...entry, fingerprint: `at ${this.clock}` }));
  }
}

describe("what has changed since a snapshot", () => {
  it("is told by the contents of files whose size is the same but not their fingerprint, unless it is damaged", async () => {
    const files = new ClockedFiles();
    const { id, owner, db, deps, archives, take } = await newScene({ files });
    files.write("same", "12345");
    files.write("other", "12345");
    files.write("link", "", { kind: "symlink", target: "same" });
    const { hash } = await take();
    await db.update(projects).set({ status: "stopped", wanted: null }).where(eq(projects.id, id));
    const queue = { publish: () => Promise.reject(new Error("A project that is awake is not woken")) };
    const workspaces = { runtime: () => partOf<ProjectRuntime>(files) };
    const diff = () => diffSnapshot({ ...deps, queue, workspaces }, owner.caller, { project: id, hash });

    files.clock += 1;
    expect(await diff()).toEqual({ changes: [], total: 0 });
    files.write("other", "54321");
    files.write("link", "", { kind: "symlink", target: "other" });
    const changes = [
      { path: "link", change: "changed" },
      { path: "other", change: "changed", size: 5, sizeBefore: 5, isCertain: true },
    ];
    expect(await diff()).toMatchObject({ changes, total: 2 });
    // A thousand are listed, and the others counted.
    for (let count = 0; count < 1_200; count += 1) files.write(`new-${count}`, "x");
    const many = await diff();
    expect([many.changes.length, many.total]).toEqual([1_000, 1_202]);
    for (const key of archives.objects.keys()) if (key.includes("/packs/")) archives.objects.delete(key);
    await expect(diff()).rejects.toMatchObject({ code: "unavailable" });
  });
});
