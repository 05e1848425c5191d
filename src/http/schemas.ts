import { z } from "zod";

/**
 * Text that the database can keep: PostgreSQL has no NUL and no half of a surrogate pair. `min` and `max` count UTF-16
 * units; `trim` cuts white space off both ends first.
 */
export function text(bounds: { min?: number; max: number; trim?: boolean }): z.ZodString {
  const { min = 0, max, trim = false } = bounds;
  const base = trim ? z.string().trim() : z.string();
  return base
    .min(min, min === 1 ? "must not be empty" : `must have at least ${min} characters`)
    .max(max, `must have at most ${max} characters`)
    .refine((value) => !value.includes("\0"), "must not contain NUL characters")
    .refine((value) => value.isWellFormed(), "must be well-formed Unicode");
}

/** A moment on the wire. */
export const Moment = z.iso.datetime().describe("ISO 8601, UTC, with `Z`");

/** An email address, as long as one may be (RFC 5321). */
export function email(): z.ZodString {
  return text({ max: 320, trim: true }).check(z.email("must be an email address"));
}
