import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { NEW_STORAGE, type StorageRecord } from "#src/platform/runtime/storage-guard.ts";

const Stored = z.object({
  state: z.enum(["present", "frozen", "absent", "destroyed"]),
  generation: z.number().int().nonnegative(),
  lost: z.literal(true).optional(),
});

export interface HostRecord extends StorageRecord {
  /** The absent files were not moved away, but found missing. */
  lost?: true | undefined;
}

const FILE = "state.json";

export function readStorageRecord(dir: string): HostRecord {
  const file = path.join(dir, FILE);
  return existsSync(file) ? parseJson(readFileSync(file, "utf8"), Stored) : NEW_STORAGE;
}

/** Writes the record atomically; it is on disk when this resolves, and a crash leaves the old or the new record. */
export async function writeStorageRecord(dir: string, record: HostRecord): Promise<void> {
  const draft = path.join(dir, `${FILE}.${randomBytes(4).toString("hex")}`);
  const handle = await open(draft, "wx");
  try {
    await handle.writeFile(JSON.stringify(record));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, path.join(dir, FILE));
  const folder = await open(dir);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
