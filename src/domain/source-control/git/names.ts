import { AppError } from "#src/lib/errors.ts";

/** Characters no shell, refspec or option parser takes for anything else. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9/_.-]{0,199}$/u;

/** A branch as a person names it. Throws `invalid_input`. */
export function branchName(text: string): string {
  const name = text.trim();
  if (NAME.test(name) && !/\.\.|\/\/|\/\.|[/.]$|\.lock(?:\/|$)/u.test(name) && name !== "HEAD") return name;
  throw new AppError(
    "invalid_input",
    "Invalid branch name: use letters, digits and / _ . - only, and do not begin with -",
  );
}

/** As `branchName`, where a branch may be left out. */
export function optionalBranchName(text: string | null | undefined): string | undefined {
  return text === undefined || text === null || text.trim() === "" ? undefined : branchName(text);
}
