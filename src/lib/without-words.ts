import { AppError } from "./errors.ts";

/**
 * What logs may have of an error of a vendor's package: its name, its code and its HTTP status. Its message may repeat the body of an
 * answer, and that what was sent, such as a token. An error of the service's own is returned as it is.
 */
export function withoutWords(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const bare = new Error(error.name);
  for (const name of ["code", "status"]) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === "string" || typeof value === "number") Reflect.set(bare, name, value);
  }
  return bare;
}
