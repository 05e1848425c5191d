import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import { asOwnerOfEverything } from "./host-user.ts";

const run = promisify(execFile);

/** Runs a program with the rights of the owner of projects' files. */
const asOwner = (program: string, options: readonly string[]) =>
  run("env", [...asOwnerOfEverything, program, ...options]);

export interface DiskUse {
  bytes: number;
  entries: number;
}

/**
 * Returns a folder's disk usage. Files that are created or removed meanwhile may or may not count. `undefined` when it
 * could not be measured, for example because the folder is gone.
 */
export async function measureDisk(folder: string): Promise<DiskUse | undefined> {
  const bytes = await total(["-s", "--block-size=1"], folder);
  const entries = await total(["-s", "--inodes"], folder);
  return bytes === undefined || entries === undefined ? undefined : { bytes, entries };
}

async function total(options: readonly string[], folder: string): Promise<number | undefined> {
  // A file that vanishes during the count makes du fail, but du has counted the others.
  const output = await asOwner("du", [...options, "--", folder]).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? "",
  );
  const number = Number.parseInt(output, 10);
  return Number.isNaN(number) ? undefined : number;
}

/** Removes a folder with its contents, even if its owner has locked it. */
export async function removeTree(folder: string): Promise<void> {
  await asOwner("rm", ["-rf", "--", folder]).catch(() => rm(folder, { recursive: true, force: true }));
}
