import { chmodSync, lstatSync } from "node:fs";
import { codeOf } from "../file-failure.ts";

/**
 * Acts on an entry whose mode may forbid it even to its owner, which is this server: a snapshot includes every file,
 * and a directory without write permission must be removable. The mode is restored afterwards.
 */
export function withPermission<T>(absolute: string, needed: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error;
    const stats = lstatSync(absolute);
    if (stats.isSymbolicLink() || (stats.mode & needed) === needed) throw error;
    const mode = stats.mode & 0o7777;
    chmodSync(absolute, mode | needed);
    try {
      return act();
    } finally {
      chmodSync(absolute, mode);
    }
  }
}
