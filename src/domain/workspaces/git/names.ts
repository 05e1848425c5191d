import { AppError } from "#src/lib/errors.ts";

/** Characters without a special meaning in shells, refspecs and options. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9/_.-]{0,199}$/u;

/** Validates a branch name. Throws `invalid_input`. */
export function branchName(text: string): string {
  const name = text.trim();
  if (NAME.test(name) && !/\.\.|\/\/|\/\.|[/.]$|\.lock(?:\/|$)/u.test(name) && name !== "HEAD") return name;
  throw new AppError(
    "invalid_input",
    "Invalid branch name: use letters, digits and / _ . - only, and do not begin with -",
  );
}

/** As `branchName`, for an optional branch. */
export function optionalBranchName(text: string | null | undefined): string | undefined {
  return text === undefined || text === null || text.trim() === "" ? undefined : branchName(text);
}
