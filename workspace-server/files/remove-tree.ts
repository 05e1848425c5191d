import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Remove an entry with all it holds; one that is gone is fine. Directories that forbid it go too, and names of any bytes, and
 * paths that are longer than the kernel takes: these programs go down step by step.
 */
export async function removeTree(absolute: string): Promise<void> {
  try {
    await rm(absolute, { recursive: true, force: true });
  } catch {
    // What it cannot change, it says; whether that matters is seen when it is removed.
    await run("chmod", ["-R", "u+rwx", "--", absolute]).catch(() => undefined);
    await run("rm", ["-rf", "--", absolute]);
  }
}
