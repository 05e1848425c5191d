import { PROJECT_MOUNT } from "#src/shell/mount.ts";
import { FileError } from "./file-error.ts";

/** Longest name and path of a project, in UTF-8 bytes, as on common file systems. */
const MAX_NAME_BYTES = 255;
export const MAX_PATH_BYTES = 4096;

/** Throws `ENAMETOOLONG`. */
export function checkLength(path: string): void {
  if (
    byteLength(baseName(path)) > MAX_NAME_BYTES ||
    byteLength(path) > MAX_PATH_BYTES ||
    !path.isWellFormed()
  ) {
    throw new FileError("ENAMETOOLONG", path);
  }
}

/** Whether a path names an entry below the root without empty, `.` or `..` segments. */
export function isPlain(path: string): boolean {
  return (
    !path.includes("\0") && path.split("/").every((name) => name !== "" && name !== "." && name !== "..")
  );
}

/** Returns the directory of a path; the root for a name in the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** Returns the last segment of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Converts an absolute path of a command into a project-relative one; `undefined` outside the project. */
export function withinProject(absolute: string): string | undefined {
  if (absolute === PROJECT_MOUNT) return "";
  return absolute.startsWith(`${PROJECT_MOUNT}/`) ? absolute.slice(PROJECT_MOUNT.length + 1) : undefined;
}

/** Converts a project-relative path into the absolute one that commands see. */
export function absoluteOf(path: string): string {
  return path === "" ? PROJECT_MOUNT : `${PROJECT_MOUNT}/${path}`;
}

/** Returns the same path below another directory. */
export function rebase(path: string, from: string, to: string): string {
  const below = from === "" ? path : path.slice(from.length + 1);
  return to === "" ? below : `${to}/${below}`;
}

export function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
