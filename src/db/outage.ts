/**
 * What PostgreSQL undoes for no fault of the statement: a serialization failure and a deadlock. Source: PostgreSQL manual,
 * appendix A.
 */
const PASSING = new Set<unknown>(["40001", "40P01"]);

/**
 * Whether a failure is one that passes rather than a refusal: the database is away, and the driver's error carries no
 * SQLSTATE, or it gave up one of two transactions that stood in each other's way. Drizzle wraps the driver's error.
 */
export function isOutage(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each.name === "NeonDbError")
      return !("code" in each) || each.code === undefined || each.code === null || PASSING.has(each.code);
  }
  return false;
}
