import { AppError } from "#src/lib/errors.ts";

/**
 * Characters that git forbids in references (git-check-ref-format): blanks, control characters, `~^:?*[\`, `..`, `@{`.
 */
const FORBIDDEN_IN_NAME = /[\s\p{Cc}~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)/u;
const MAX_NAME_LENGTH = 244;

/** Throws `invalid_input` for a name that cannot be a branch, or that another program could read as an option. */
export function checkBranchName(name: string): string {
  if (!isReferenceName(name) || name === "HEAD") {
    throw new AppError("invalid_input", "Invalid branch name");
  }
  return name;
}

/** Throws `invalid_input`. */
export function checkRemoteName(name: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/u.test(name) || !isReferenceName(name)) {
    throw new AppError("invalid_input", "Invalid remote name");
  }
  return name;
}

export function isReferenceName(name: string): boolean {
  return (
    name.length > 0 &&
    name.length <= MAX_NAME_LENGTH &&
    name.isWellFormed() &&
    !/^[-./@]|[./]$/u.test(name) &&
    !FORBIDDEN_IN_NAME.test(name)
  );
}

/**
 * Returns a path of the working tree in the service's format: relative, `/` between names, neither leading out of the
 * project nor into `.git`. Throws `invalid_input`.
 */
export function checkPath(path: string): string {
  const names = path.replaceAll("\\", "/").split("/");
  const refused =
    path === "" ||
    path.includes("\0") ||
    !path.isWellFormed() ||
    names.some((name) => name === "" || name === "." || name === ".." || name.toLowerCase() === ".git");
  if (refused)
    throw new AppError("invalid_input", "Invalid path: it must be inside the project and outside .git");
  return path;
}
