import type { z } from "zod";
import { AppError } from "./errors.ts";

/** The only place JSON text becomes a value: parsed and checked in one go. Throws `invalid_input`. */
export function parseJson<T>(text: string, schema: z.ZodType<T>): T {
  const result = safeParseJson(text, schema);
  if (result === undefined) throw new AppError("invalid_input", "Not the JSON that was expected");
  return result.value;
}

/** As `parseJson`, but a text that does not fit is `undefined`; the wrapper keeps a parsed `undefined` apart. */
export function safeParseJson<T>(text: string, schema: z.ZodType<T>): { value: T } | undefined {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = schema.safeParse(raw);
  return parsed.success ? { value: parsed.data } : undefined;
}
