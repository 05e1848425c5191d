import { AppError } from "#src/lib/errors.ts";

export function notFound(): AppError {
  return new AppError("not_found", "Invitation not found");
}

export function over(): AppError {
  return new AppError("gone", "This invitation is no longer valid: ask for a new one");
}

/** For a caller who was an administrator when the request was authenticated. */
export function onlyAdministrators(): AppError {
  return new AppError("forbidden", "Only administrators of the team may invite");
}
