import { writeFileSync } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { hasCode, isMissing, makePrivateFolder } from "./private-file.ts";

/** Longest that a holder works; an older lock is of a process that is gone and whose id another one has by now. */
const MAX_HELD_MS = 60_000;
/** Between the making of a lock and its id; a lock that is older has none because its holder died. */
const MAX_NAMELESS_MS = 5_000;
const POLL_MS = 25;
/** Several holders may come first, each of them soon done. */
const MAX_WAIT_MS = 120_000;

/**
 * Runs `work` while no other process does so under the same lock file. The lock of a process that died is taken over. Throws
 * when the lock is not free within two minutes.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await makePrivateFolder(path.dirname(file));
  const latest = Date.now() + MAX_WAIT_MS;
  while (!create(file)) {
    await removeDead(file);
    if (Date.now() > latest) {
      throw new CommandError(EXIT.failed, "locked", `${file} is held by another process`);
    }
    await pause(POLL_MS * (0.5 + Math.random()));
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** Makes the file with the id of this process; false when there is one. Not in turns: others count a lock without an id as left. */
function create(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/**
 * Removes the lock of a dead process. One process at a time looks and removes: otherwise a second one, which saw the dead
 * process too, could remove the lock that a third one has made since.
 */
async function removeDead(file: string): Promise<void> {
  if (!(await isDead(file))) return;
  const guard = `${file}.guard`;
  if (!create(guard)) {
    if (await isDead(guard)) await rm(guard, { force: true });
    return;
  }
  try {
    if (await isDead(file)) await rm(file, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function isDead(file: string): Promise<boolean> {
  const age = await ageOf(file);
  if (age > MAX_HELD_MS) return true;
  const holder = Number(await textOf(file));
  // A lock without an id was made just now, or its holder died before it wrote one.
  if (!Number.isSafeInteger(holder) || holder <= 0) return age > MAX_NAMELESS_MS;
  return !isAlive(holder);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and belongs to another person.
    return hasCode(error, "EPERM");
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

/** In milliseconds; 0 for a file that is gone. */
async function ageOf(file: string): Promise<number> {
  try {
    return Date.now() - (await stat(file)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
