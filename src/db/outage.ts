/**
 * SQLSTATEs of statements that PostgreSQL does not do although they are correct: serialization failure, deadlock, a server that
 * shuts down, has crashed or is starting, and too many connections. Source: PostgreSQL manual, appendix A.
 */
const PASSING = new Set<unknown>(["40001", "40P01", "57P01", "57P02", "57P03", "53300"]);

/**
 * Whether a failure is temporary: the database is unreachable (the driver's error has no SQLSTATE), ends or begins, or it aborted
 * one of two conflicting transactions. Drizzle wraps the driver's error.
 */
export function isOutage(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each.name === "NeonDbError")
      return !("code" in each) || each.code === undefined || each.code === null || PASSING.has(each.code);
  }
  return false;
}
