import { AppError } from "#src/lib/errors.ts";
import { normalizeDirectory, normalizePath, normalizePathIn } from "#src/lib/project-path.ts";

/** As `normalizePath`, where a leading `/` stands for the project's root. */
export function pathFromRoot(path: string): string {
  return normalizePath(withoutRoot(path));
}

/** A path within a directory; both may begin with `/` for the project's root. */
export function pathFromRootIn(directory: string | undefined, path: string): string {
  return normalizePathIn(directory && withoutRoot(directory), withoutRoot(path));
}

/** As `normalizeDirectory`, where a leading `/` stands for the project's root. */
export function directoryFromRoot(path: string | undefined): string {
  return normalizeDirectory(path && withoutRoot(path));
}

/**
 * The path of a file to be written. Throws `invalid_input` for a directory, and for paths in `.git`, because direct
 * writes would damage the repository.
 */
export function fileToWrite(path: string, directory?: string): string {
  requireFilePath(path);
  return outsideGit(pathFromRootIn(directory, path));
}

/** Throws `invalid_input` for a path that names a directory. */
export function requireFilePath(path: string): void {
  if (path.endsWith("/")) throw new AppError("invalid_input", "The path of a file must not end with `/`");
}

/** Returns the path; throws `invalid_input` if it is in `.git`. */
export function outsideGit(path: string): string {
  if (path.split("/").some((name) => name.toLowerCase() === ".git")) {
    throw new AppError("invalid_input", "`.git` can only be changed through git");
  }
  return path;
}

function withoutRoot(path: string): string {
  return path.replace(/^\/+/u, "");
}
