import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Removes an entry with its contents; ignores one that is gone. Uses programs that descend step by step, so it also
 * removes locked directories, names of any bytes, and paths longer than the kernel's limit.
 */
export async function removeTree(absolute: string): Promise<void> {
  try {
    await rm(absolute, { recursive: true, force: true });
  } catch {
    // chmod reports what it cannot change; the removal shows whether that matters.
    await run("chmod", ["-R", "u+rwx", "--", absolute]).catch(() => undefined);
    await run("rm", ["-rf", "--", absolute]);
  }
}
