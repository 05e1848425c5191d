import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

/** Permissions of the group and of others. */
const OTHERS = 0o077;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Windows has no such permissions; a person's own folder is private there. */
const hasModes = process.platform !== "win32";

/**
 * The text of a file that only its owner may read; undefined when there is none. Throws when others may read the file or its
 * folder: its secrets may be known then.
 */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  try {
    await requirePrivate(path.dirname(file), FOLDER_MODE);
    const handle = await open(file, "r");
    try {
      // Of the opened file, which cannot be exchanged any more.
      refuseOthers(file, (await handle.stat()).mode, FILE_MODE);
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Writes the file in one step: a reader, or a crash, sees the old text or the new one. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  await makePrivateFolder(path.dirname(file));
  const temporary = `${file}.${randomUUID()}`;
  try {
    const handle = await open(temporary, "wx", FILE_MODE);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes the folder, with no permission for others; one that is there must have none. */
export async function makePrivateFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  // A umask may have taken permissions of the owner.
  if (made !== undefined && hasModes) await chmod(folder, FOLDER_MODE);
  await requirePrivate(folder, FOLDER_MODE);
}

async function requirePrivate(name: string, mode: number): Promise<void> {
  refuseOthers(name, (await stat(name)).mode, mode);
}

function refuseOthers(name: string, found: number, mode: number): void {
  if (!hasModes || (found & OTHERS) === 0) return;
  throw new CommandError(
    EXIT.failed,
    "not_private",
    `${name} can be read by others`,
    `Run \`chmod ${mode.toString(8)} ${name}\`. If others use this machine, sign out and in again.`,
  );
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
