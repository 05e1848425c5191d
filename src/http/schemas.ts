import { z } from "zod";

/**
 * Text that the database can store: PostgreSQL accepts neither NUL nor unpaired surrogates. `min` and `max` count
 * UTF-16 units; `trim` first removes white space at both ends.
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

/** Deepest nesting of a stored JSON object. */
const MAX_JSON_DEPTH = 64;

/** Any JSON object that the database can store as `jsonb`: the rules of `text` hold for every key and value. */
export const JsonObject = z
  .record(z.string(), z.unknown())
  .refine(isStorable, "must be JSON without NUL characters, broken Unicode or nesting deeper than 64");

/** Uses an explicit stack: input nested a hundred thousand deep must not exhaust the call stack. */
function isStorable(root: unknown): boolean {
  const pending = [{ value: root, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > MAX_JSON_DEPTH) return false;
    if (typeof value === "string" && !isStorableText(value)) return false;
    if (typeof value !== "object" || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (!isStorableText(key)) return false;
      pending.push({ value: child, depth: depth + 1 });
    }
  }
  return true;
}

function isStorableText(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}

/** Id of an agent. The default agent's id is a GUID that is not a UUID of RFC 9562, because it has no version. */
export const AgentId = z.guid("must be the id of an agent");

/** A point in time on the wire. */
export const Moment = z.iso.datetime().describe("ISO 8601, UTC, with `Z`");

/** An email address of at most the length that RFC 5321 allows. */
export function email(): z.ZodString {
  return text({ max: 320, trim: true }).check(z.email("must be an email address"));
}

/** A point in time as clients send it: ISO 8601, UTC unless a zone is given. */
export function moment() {
  return z.iso
    .datetime({ offset: true, local: true, error: "must be an ISO 8601 date and time" })
    .transform((value) => new Date(/(?:Z|[+-]\d{2}:?\d{2})$/iu.test(value) ? value : `${value}Z`))
    .refine((date) => date.getUTCFullYear() <= 9999, "must be a date before the year 10000");
}

/** A point in time, or a day that stands for its midnight, UTC. The database has no year 0. */
export function dayOrMoment() {
  const day = z.iso.date().transform((value) => new Date(`${value}T00:00:00Z`));
  return z
    .union([day, moment()], "must be an ISO 8601 date, with a time or without")
    .refine((date) => date.getUTCFullYear() >= 1, "must be a date after the year 0");
}

/** An answer with nothing but a sentence for people. */
export const Message = z.object({ message: z.string() }).meta({ id: "Message" });

/** As `Message`, for clients that look for `success`. */
export const Succeeded = z.object({ success: z.literal(true), message: z.string() }).meta({ id: "Success" });

/** A sentence under the name that errors have, as clients of sign-in expect it. */
export const Detail = z.object({ detail: z.string() }).meta({ id: "Detail" });
