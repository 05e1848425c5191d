import { accessSync, chmodSync, constants, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
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

/** Files of this process and of those that it starts are their owner's alone: the data folder holds secrets and mail. */
export function keepFilesPrivate(): void {
  process.umask(0o077);
}

/**
 * Opens the folder of everything that the service writes; one process at a time holds it. `say` is told when other users of
 * the machine could read an older folder, which is closed to them. The lock is a file lock of
 * the operating system (through SQLite), so the lock of a killed process is released at once.
 */
export function openDataDir(dir: string, say: (line: string) => void): DataDir {
  try {
    makeFolder(dir);
    accessSync(dir, constants.W_OK);
  } catch (error) {
    throw unwritable(dir, error);
  }
  const lock = lockFolder(dir);
  closeToOthers(dir, say);
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
  mkdirSync(dir, { mode: PRIVATE });
}

/** Mode of a folder that only its owner enters. */
const PRIVATE = 0o700;
const STICKY = 0o1000;

function closeToOthers(dir: string, say: (line: string) => void): void {
  const { mode, uid } = statSync(dir);
  const permissions = mode & 0o777;
  if ((permissions & ~PRIVATE) === 0) return;
  const was = `DATA_DIR: other users could read ${dir} (mode ${permissions.toString(8)})`;
  // A folder that is shared by its purpose, such as /tmp, stays open.
  if (uid !== process.getuid?.() || (mode & STICKY) !== 0) {
    say(`${was}: use a folder of its own, with mode 700`);
    return;
  }
  chmodSync(dir, PRIVATE);
  say(`${was}: it is now open to its owner alone`);
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
