import { AppError } from "./errors.ts";

/** Longest file name and path, in UTF-8 bytes, as on common file systems. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4096;

/**
 * Normalises a path from outside: relative, `/` between names, no `.`, no `..`. Names stay as they are, with spaces at their
 * ends as well. A path that could lead out of the project is refused rather than repaired. Throws `invalid_input`.
 */
export function normalizePath(path: string): string {
  const relative = normalizeDirectory(path);
  if (relative === "") throw new AppError("invalid_input", "The path is empty");
  return relative;
}

/** As `normalizePath`, for a place that may be the project root: an absent, empty or `.` path is the empty string. */
export function normalizeDirectory(path: string | undefined): string {
  const given = path ?? "";
  if (given.includes("\0")) throw new AppError("invalid_input", "The path contains a NUL character");
  if (!given.isWellFormed()) throw new AppError("invalid_input", "The path is not well-formed Unicode");
  // A client on Windows may send either slash, so both count in the checks.
  const slashed = given.replaceAll("\\", "/");
  if (slashed.split("/").includes("..")) {
    throw new AppError("invalid_input", "Path traversal is not allowed: the path contains `..`");
  }
  const names = given.split("/").filter((name) => name !== "" && name !== ".");
  if (slashed.startsWith("/") || names[0]?.startsWith("\\")) {
    throw new AppError("invalid_input", "The path is absolute; paths are relative to the project root");
  }
  if (names.some((name) => byteLength(name) > MAX_NAME_BYTES)) {
    throw new AppError("invalid_input", `A name in the path is longer than ${MAX_NAME_BYTES} bytes`);
  }
  const relative = names.join("/");
  if (byteLength(relative) > MAX_PATH_BYTES) {
    throw new AppError("invalid_input", `The path is longer than ${MAX_PATH_BYTES} bytes`);
  }
  return relative;
}

/** Whether a path has the form that `normalizePath` returns. */
export function isPlainPath(path: string): boolean {
  return path
    .split("/")
    .every((name) => name !== "" && name !== "." && name !== ".." && !name.includes("\0"));
}

/** A path inside a directory that is given separately. */
export function normalizePathIn(directory: string | undefined, path: string): string {
  const parent = normalizeDirectory(directory);
  const relative = normalizePath(path);
  return parent === "" ? relative : normalizePath(`${parent}/${relative}`);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
