/**
 * Whether a failure is the database's absence rather than its refusal: the driver's error then carries no SQLSTATE.
 * Drizzle wraps the driver's error.
 */
export function isOutage(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each.name === "NeonDbError")
      return !("code" in each) || each.code === undefined || each.code === null;
  }
  return false;
}
