import { AppError } from "#src/lib/errors.ts";
import type { FileEntry } from "#src/platform/runtime/project-runtime.ts";
import { FileError } from "./file-error.ts";
import type { Entry } from "./file-tree.ts";
import { baseName } from "./paths.ts";
import { isFileError } from "./project-files.ts";
import type { Answer } from "./protocol.ts";

/** Returns named failures as data; any other error is thrown. */
export async function answer<T>(act: () => T | Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await act() };
  } catch (error) {
    const known = error instanceof FileError ? error.toAppError() : error;
    if (known instanceof AppError) return { ok: false, code: known.code, message: known.message };
    throw error;
  }
}

/** For reads: returns undefined for any error which means that nothing is there. */
export async function absentAsUndefined<T>(look: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isFileError(error, "ENOENT", "ENOTDIR", "EISDIR")) return undefined;
    throw error;
  }
}

export function toFileEntry({ path, kind, size, modifiedAt, contentId }: Entry): FileEntry {
  const version = contentId === null ? {} : { version: contentId };
  return { path, name: baseName(path), kind, size, modifiedAt, ...version };
}
