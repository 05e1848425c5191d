/**
 * The name of the unique index that a write violated (SQLSTATE 23505); `undefined` for any other failure. Drizzle wraps
 * the driver's error.
 */
export function uniqueViolation(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ("code" in each && each.code === "23505" && "constraint" in each) return String(each.constraint);
  }
  return undefined;
}
