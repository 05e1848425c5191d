import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Returns a random secret of a data folder: generated on first use and kept, readable by its owner only. Only the
 * process that holds the folder may call it. The file is written under another name and moved, so that a kill leaves no
 * partial secret.
 */
export function keptSecret(dataDir: string, name: string): string {
  const file = path.join(dataDir, name);
  if (!existsSync(file)) {
    const unfinished = `${file}.new`;
    writeFileSync(unfinished, randomBytes(32).toString("hex"), { mode: 0o600 });
    renameSync(unfinished, file);
  }
  return readFileSync(file, "utf8");
}
