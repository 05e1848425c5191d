/**
 * Whether a write failed because a row that it refers to is missing (SQLSTATE 23503). Drizzle wraps the driver's error.
 */
export function isForeignKeyViolation(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ("code" in each && each.code === "23503") return true;
  }
  return false;
}
