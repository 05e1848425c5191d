import { PROJECT_MOUNT } from "#src/shell/mount.ts";
import { FileError } from "./file-error.ts";

/** Longest name and path a project keeps, in UTF-8 bytes, as on common file systems. */
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

/** Whether a path names an entry below the root and goes nowhere else on its way. */
export function isPlain(path: string): boolean {
  return (
    !path.includes("\0") && path.split("/").every((name) => name !== "" && name !== "." && name !== "..")
  );
}

/** The directory that holds a path; the root for a name of the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** The last segment of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The project-relative form of an absolute path as commands see it; `undefined` outside the project. */
export function withinProject(absolute: string): string | undefined {
  if (absolute === PROJECT_MOUNT) return "";
  return absolute.startsWith(`${PROJECT_MOUNT}/`) ? absolute.slice(PROJECT_MOUNT.length + 1) : undefined;
}

/** The absolute form of a project-relative path, as commands see it. */
export function absoluteOf(path: string): string {
  return path === "" ? PROJECT_MOUNT : `${PROJECT_MOUNT}/${path}`;
}

/** The same place under another directory. */
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
