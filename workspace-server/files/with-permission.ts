import { chmodSync, lstatSync } from "node:fs";
import { codeOf } from "../file-failure.ts";

/**
 * Act on an entry whose mode may forbid it to its owner, who is this server: a snapshot takes every file, and a directory
 * without write permission must not be in the way of its own removal. The mode is as before afterwards.
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
