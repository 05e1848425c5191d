import { AppError } from "#src/lib/errors.ts";
import { isReservedName } from "#src/lib/reserved-names.ts";

/** Whether a text has the form of a team's slug. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9-]{1,100}$/u.test(text);
}

/** Throws `invalid_input` for a slug that looks like the service's own name or is a segment of its paths. */
export function requireFreeSlug(slug: string): void {
  if (isReservedName(slug)) throw new AppError("invalid_input", "This slug is reserved: choose another");
}

export function slugTaken(cause?: unknown): AppError {
  return new AppError("conflict", "This slug is taken: choose another", { cause });
}
