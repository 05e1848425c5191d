import { chownSync } from "node:fs";

/**
 * Sandboxes never run as root: if the service does, they run as this user (`nobody`, which every user namespace of a
 * container maps). Processes of other users cannot reach the projects, whose parent folder belongs to root.
 */
const NOBODY = 65_534;

/** Whether the service runs as root. */
export const isRoot = process.getuid?.() === 0;

/** Makes the sandboxes' user the owner of a path. */
export function giveToSandbox(path: string): void {
  if (isRoot) chownSync(path, NOBODY, NOBODY);
}

/** A command prefix that runs a command as that user. */
export const asSandboxUser: readonly string[] = isRoot
  ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"]
  : [];

/**
 * A command prefix for the right to read and remove all files of a project. Programs of a project own their files and
 * may lock their owner out of a directory; being root of a user namespace overrides that.
 */
export const asOwnerOfEverything: readonly string[] = isRoot ? [] : ["unshare", "--map-root-user", "--"];
