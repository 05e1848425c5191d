import { isForeignKeyViolation } from "#src/db/foreign-key-violation.ts";
import { AppError } from "#src/lib/errors.ts";

/** Awaits a write that belongs to a team. Throws `not_found` if the team was deleted in the meantime. */
export async function whileTeamExists<T>(write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw new AppError("not_found", "Team not found", { cause: error });
    throw error;
  }
}
