import { chownSync } from "node:fs";

/**
 * Sandboxes never run as root: where the service does, they run as this user (`nobody`, which every user namespace of a
 * container maps). Nobody else's process can reach the projects, whose parent folder is root's alone.
 */
const NOBODY = 65_534;

/** Whether the service runs as root. */
export const isRoot = process.getuid?.() === 0;

/** Give a path to whoever runs the sandboxes. */
export function giveToSandbox(path: string): void {
  if (isRoot) chownSync(path, NOBODY, NOBODY);
}

/** A command line that runs the one after it as that user. */
export const asSandboxUser: readonly string[] = isRoot
  ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"]
  : [];

/**
 * A command line that runs the one after it with the right to read and remove whatever a project holds. Programs of a
 * project own their files and may lock their owner out of a directory; being root of a user namespace overrides that.
 */
export const asOwnerOfEverything: readonly string[] = isRoot ? [] : ["unshare", "--map-root-user", "--"];
