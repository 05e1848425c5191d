import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inject } from "vitest";

/** A data folder with a migrated database and a built Worker, which is the caller's to remove: the first start is a short one. */
export function newDataDir(): string {
  const dataDir = mkdtempSync(path.join(tmpdir(), "workspace-data-"));
  cpSync(inject("template"), dataDir, { recursive: true });
  return dataDir;
}
