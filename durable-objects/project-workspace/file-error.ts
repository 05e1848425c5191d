import { AppError, type ErrorCode } from "#src/lib/errors.ts";

const MEANING = {
  ESTALE: ["not_found", "the project is gone"],
  EROFS: ["unavailable", "the project is being stopped"],
  ENOMEDIUM: ["asleep", "the project is hibernated"],
  ENOENT: ["not_found", "no such file or directory"],
  EEXIST: ["conflict", "already exists"],
  EISDIR: ["conflict", "is a directory"],
  ENOTDIR: ["conflict", "not a directory"],
  ENOTEMPTY: ["conflict", "directory not empty"],
  EAGAIN: ["conflict", "changed while it was being written"],
  EINVAL: ["invalid_input", "invalid argument"],
  ELOOP: ["invalid_input", "too many levels of symbolic links"],
  EACCES: ["invalid_input", "leads out of the project through a symbolic link"],
  ENAMETOOLONG: ["invalid_input", "file name too long"],
  EPIPE: ["invalid_input", "the body broke off before its end"],
  EFBIG: ["too_large", "file too large"],
} as const satisfies Record<string, readonly [ErrorCode, string]>;

/** Sentences for failures that concern the whole project instead of one path. */
const OF_THE_PROJECT: Partial<Record<string, string>> = {
  EROFS: "The project is being stopped; try again in a moment",
  ENOMEDIUM: "The project is hibernated",
};

export type FileErrorCode = keyof typeof MEANING;

/** A failure of a file operation, worded as shells word it: commands read the code and print the message. */
export class FileError extends Error {
  readonly code: FileErrorCode;
  readonly #path: string;

  constructor(code: FileErrorCode, path: string) {
    super(`${code}: ${MEANING[code][1]}, '${path}'`);
    this.name = "FileError";
    this.code = code;
    this.#path = path;
  }

  /** Converts the failure for callers of the service. */
  toAppError(): AppError {
    const [code, sentence] = MEANING[this.code];
    const shown = this.#path === "" ? "the project root" : `"${this.#path.slice(0, 300)}"`;
    return new AppError(code, OF_THE_PROJECT[this.code] ?? `${shown}: ${sentence}`);
  }
}
