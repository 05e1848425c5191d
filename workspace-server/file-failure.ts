import { AppError, type ErrorCode } from "#src/lib/errors.ts";

const MEANING: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ["not_found", "no such file or directory"],
  EEXIST: ["conflict", "already exists"],
  EISDIR: ["conflict", "is a directory"],
  ENOTDIR: ["conflict", "not a directory"],
  ENOTEMPTY: ["conflict", "directory not empty"],
  EBUSY: ["conflict", "is in use"],
  EACCES: ["conflict", "permission denied"],
  EPERM: ["conflict", "permission denied"],
  EROFS: ["conflict", "is read-only"],
  EINVAL: ["invalid_input", "invalid argument"],
  ELOOP: ["invalid_input", "too many levels of symbolic links"],
  ENAMETOOLONG: ["invalid_input", "file name too long"],
  EFBIG: ["too_large", "file too large"],
  ENOSPC: ["too_large", "no space left on the project's disk"],
  EDQUOT: ["too_large", "no space left on the project's disk"],
  EMFILE: ["unavailable", "too many open files; try again"],
  ENFILE: ["unavailable", "too many open files; try again"],
};

/** Converts a kernel error code into a failure for a caller of the service. */
export function fileFailure(code: keyof typeof MEANING, path: string, cause?: unknown): AppError {
  const [name, sentence] = MEANING[code] ?? ["internal", "could not be reached"];
  return new AppError(name, `${shown(path)}: ${sentence}`, { cause });
}

export function leadsOut(path: string): AppError {
  return new AppError("invalid_input", `${shown(path)}: leads out of the project through a symbolic link`);
}

/** Converts an error of a file operation for a caller of the service; errors without a kernel code stay unchanged. */
export function asFileFailure(error: unknown, path: string): unknown {
  const code = codeOf(error);
  return code !== undefined && code in MEANING ? fileFailure(code, path, error) : error;
}

/** Returns the kernel's code of an error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function shown(path: string): string {
  return path === "" ? "the project root" : `"${path.slice(0, 300)}"`;
}
