import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";

/** Most paths that are named; further ones are only counted. */
const NAMED_PATHS = 5;

/** Converts an operation's error into a failure with a sentence. The message of isomorphic-git stays in the cause. */
export function toAppError(error: unknown, signal: AbortSignal): AppError {
  if (error instanceof AppError) return error;
  if (signal.aborted)
    return new AppError("unavailable", "Git took too long or was stopped", { cause: error });
  const [code, sentence] = describe(error);
  return new AppError(code, sentence, { cause: error });
}

function describe(error: unknown): [code: AppError["code"], sentence: string] {
  const { Errors } = git;
  if (error instanceof Errors.MultipleGitError) return describe(error.errors[0]);
  if (error instanceof Errors.CheckoutConflictError) {
    return ["conflict", `Local changes would be overwritten: ${list(error.data.filepaths)}`];
  }
  if (error instanceof Errors.UnmergedPathsError) {
    return ["conflict", `Files have conflicts: ${list(error.data.filepaths)}`];
  }
  if (error instanceof Errors.MergeNotSupportedError) {
    return ["conflict", "The two histories cannot be merged automatically"];
  }
  if (error instanceof Errors.PushRejectedError) {
    return ["conflict", "The remote has commits that are not here: pull first"];
  }
  if (error instanceof Errors.GitPushError) return ["conflict", "The git host refused the push"];
  if (error instanceof Errors.UnsafeFilepathError) {
    const path = JSON.stringify(error.data.filepath);
    return ["invalid_input", `The repository contains a path that must not be written: ${path}`];
  }
  // Our own error: the repository names a path outside the project.
  if (codeOf(error) === "EACCES") {
    return ["invalid_input", "The repository contains a path that must not be written"];
  }
  if (error instanceof Errors.InvalidRefNameError) {
    return ["invalid_input", "The repository contains a reference with a forbidden name"];
  }
  if (error instanceof Errors.SmartHttpError || error instanceof Errors.ParseError) {
    return ["unavailable", "The git host's response does not follow the git protocol"];
  }
  if (error instanceof Errors.EmptyServerResponseError || error instanceof Errors.RemoteCapabilityError) {
    return ["unavailable", "The git host's response does not follow the git protocol"];
  }
  if (codeOf(error) === "ENAMETOOLONG") {
    return ["invalid_input", "The repository contains a path that is too long"];
  }
  if (codeOf(error) === "EFBIG") {
    return ["too_large", "The project contains a file that is too large for git here"];
  }
  // The walk through the files throws an error without a code.
  if (codeOf(error) === "ENOENT" || (error instanceof Error && error.message.startsWith("ENOENT:"))) {
    return ["conflict", "Files were deleted while git was reading them: try again"];
  }
  if (isOfDamage(error)) {
    return [
      "conflict",
      "The repository is damaged: clone it again, or remove `.git` in a terminal and start again",
    ];
  }
  return ["internal", "Git failed"];
}

/** Whether the error means that files of the repository itself are missing or invalid. */
function isOfDamage(error: unknown): boolean {
  const { DecompressionError, InternalError, InvalidOidError, NotFoundError, ObjectTypeError } = git.Errors;
  return [DecompressionError, InternalError, InvalidOidError, NotFoundError, ObjectTypeError].some(
    (kind) => error instanceof kind,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function list(paths: readonly string[]): string {
  const rest = paths.length - NAMED_PATHS;
  return paths.slice(0, NAMED_PATHS).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
