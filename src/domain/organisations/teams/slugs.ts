import { AppError } from "#src/lib/errors.ts";
import { isReservedName } from "#src/lib/reserved-names.ts";

/** Whether a text may be the slug of a team at all; texts of other forms name none. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9-]{1,100}$/u.test(text);
}

/** Refuse a slug that would read as the service's own, or as a part of a path. Throws `invalid_input`. */
export function requireFreeSlug(slug: string): void {
  if (isReservedName(slug)) throw new AppError("invalid_input", "This slug is reserved: choose another");
}

export function slugTaken(cause?: unknown): AppError {
  return new AppError("conflict", "This slug is taken: choose another", { cause });
}
