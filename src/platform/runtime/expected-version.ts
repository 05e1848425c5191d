import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";

/**
 * Precondition of a change to a file: the file must exist, must not exist, or must have one of these versions. A runtime
 * checks the precondition and makes the change in one step.
 */
export const ExpectedVersion = z.union([z.enum(["present", "absent"]), z.array(z.string())]);

export type ExpectedVersion = z.infer<typeof ExpectedVersion>;

/** Throws `precondition_failed` unless the file's version is expected. `version` is undefined if the file does not exist. */
export function requireVersion(
  path: string,
  version: string | undefined,
  expected: ExpectedVersion | undefined,
): void {
  if (expected === undefined) return;
  const problem = problemOf(version, expected);
  if (problem) throw new AppError("precondition_failed", `"${path.slice(0, 300)}": ${problem}`);
}

function problemOf(version: string | undefined, expected: ExpectedVersion): string | undefined {
  if (expected === "absent") return version === undefined ? undefined : "the file exists already";
  if (version === undefined) return "there is no such file";
  if (expected === "present" || expected.includes(version)) return undefined;
  return "the file has changed since it was read";
}
