import type { z } from "zod";
import { AppError } from "./errors.ts";

/** The only place where JSON text becomes a value: parses and validates it. Throws `invalid_input`. */
export function parseJson<T>(text: string, schema: z.ZodType<T>): T {
  const result = safeParseJson(text, schema);
  if (result === undefined) throw new AppError("invalid_input", "Not the JSON that was expected");
  return result.value;
}

/**
 * As `parseJson`, but returns `undefined` for invalid text. The wrapper distinguishes it from a valid value of
 * `undefined`.
 */
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
