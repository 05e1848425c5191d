import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { projects } from "#src/db/schema/index.ts";
import { takeSnapshot } from "#src/domain/workspaces/archives/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { diffSnapshot } from "#src/domain/workspaces/snapshots/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { InventoryEntry } from "#src/platform/runtime/project-storage.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";
import { partOf } from "#test/support/part-of.ts";
import { memoryArchives } from "./memory-archives.ts";
import { MemoryFiles } from "./memory-files.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

/** Files whose fingerprints tell nothing of their content, as in a runtime on a file system. */
class ClockedFiles extends MemoryFiles {
  clock = 0;

  override async inventory(): Promise<InventoryEntry[]> {
    const entries = await super.inventory();
    return entries.map((entry) => ({ ...entry, fingerprint: `at ${this.clock}` }));
  }
}

async function newScene() {
  const { db } = database;
  const { caller } = await newPerson(db, "owner");
  const wish = { name: "app", description: "", sourceType: "empty" } as const;
  const { id } = await createProject(database, caller, wish);
  await db.update(projects).set({ status: "stopped", wanted: null }).where(eq(projects.id, id));
  const files = new ClockedFiles();
  const archives = memoryArchives();
  const deps = {
    db,
    archives,
    log: createLog(),
    queue: { publish: () => Promise.reject(new Error("A project that is awake is not woken")) },
    config: { MAX_SNAPSHOTS_PER_PROJECT: 20, SNAPSHOT_RETENTION_DAYS: 30 },
    workspaces: { runtime: () => partOf<ProjectRuntime>(files) },
  };
  const { hash } = await (async () => {
    files.write("same", "12345");
    files.write("other", "12345");
    files.write("link", "", { kind: "symlink", target: "same" });
    return takeSnapshot(deps, files, { projectId: id, role: "checkpoint", label: "x" });
  })();
  return { files, archives, diff: () => diffSnapshot(deps, caller, { project: id, hash }) };
}

it("compares the contents of files whose size is the same but not their fingerprint", async () => {
  const { files, diff } = await newScene();
  files.clock += 1;
  expect(await diff()).toEqual({ changes: [], total: 0 });
  files.write("other", "54321");
  files.write("link", "", { kind: "symlink", target: "other" });
  expect(await diff()).toMatchObject({
    changes: [
      { path: "link", change: "changed" },
      { path: "other", change: "changed", size: 5, sizeBefore: 5, isCertain: true },
    ],
    total: 2,
  });
});

it("lists a thousand changes and counts the others", async () => {
  const { files, diff } = await newScene();
  for (let count = 0; count < 1_200; count += 1) files.write(`new-${count}`, "x");
  const { changes, total } = await diff();
  expect([changes.length, total]).toEqual([1_000, 1_200]);
});

it("says of a damaged snapshot that it is damaged", async () => {
  const { files, archives, diff } = await newScene();
  files.clock += 1;
  for (const key of archives.objects.keys()) if (key.includes("/packs/")) archives.objects.delete(key);
  await expect(diff()).rejects.toMatchObject({ code: "unavailable" });
});
