/**
 * SQLSTATEs of transactions that PostgreSQL aborts although the statement is correct: serialization failure and
 * deadlock. Source: PostgreSQL manual, appendix A.
 */
const PASSING = new Set<unknown>(["40001", "40P01"]);

/**
 * Whether a failure is temporary: the database is unreachable (the driver's error has no SQLSTATE), or it aborted one
 * of two conflicting transactions. Drizzle wraps the driver's error.
 */
export function isOutage(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each.name === "NeonDbError")
      return !("code" in each) || each.code === undefined || each.code === null || PASSING.has(each.code);
  }
  return false;
}
