import { isForeignKeyViolation } from "#src/db/foreign-key-violation.ts";
import { AppError } from "#src/lib/errors.ts";

/** A write that belongs to a team. Throws `not_found` where the team was deleted while the request was on its way. */
export async function whileTeamExists<T>(write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw new AppError("not_found", "Team not found", { cause: error });
    throw error;
  }
}
