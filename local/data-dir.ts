import { accessSync, constants, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { keptSecret } from "./kept-secret.ts";
import { StartError } from "./start-error.ts";

/** Folder for temporary files inside the data folder, so that a killed service leaves none elsewhere. */
export const temporaryDir = (dir: string): string => path.join(dir, "tmp");

export interface DataDir {
  path: string;
  /** Returns the secret key: generated at the first start and kept, readable by its owner only. */
  secretKey(): string;
  release(): void;
}

/**
 * Opens the folder of everything that the service writes; one process at a time holds it. The lock is a file lock of
 * the operating system (through SQLite), so the lock of a killed process is released at once.
 */
export function openDataDir(dir: string): DataDir {
  try {
    makeFolder(dir);
    accessSync(dir, constants.W_OK);
  } catch (error) {
    throw unwritable(dir, error);
  }
  const lock = lockFolder(dir);
  // Remove what a killed process left.
  rmSync(temporaryDir(dir), { recursive: true, force: true });
  makeFolder(temporaryDir(dir));
  return {
    path: dir,
    secretKey: () => {
      try {
        return keptSecret(dir, "secret-key");
      } catch (error) {
        throw unwritable(dir, error);
      }
    },
    release: () => lock.close(),
  };
}

/**
 * Makes one level at a time: with `recursive`, Node never returns where the file system refuses to make folders at all,
 * as in /proc.
 */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  makeFolder(path.dirname(dir));
  mkdirSync(dir);
}

/** SQLite's result code for a database that another process holds. */
const SQLITE_BUSY = 5;

function lockFolder(dir: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(path.join(dir, "lock"), { timeout: 0 });
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    const busy = error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
    if (!busy) throw unwritable(dir, error);
    throw new StartError([`DATA_DIR: ${dir} is in use by a service that is running`], { cause: error });
  }
}

function unwritable(dir: string, cause: unknown): StartError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StartError([`DATA_DIR: cannot write to ${dir} (${reason})`], { cause });
}
