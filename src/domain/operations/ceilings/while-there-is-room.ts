import { AppError } from "#src/lib/errors.ts";
import { refusedBy } from "./queries.ts";
import { ceilingOf, isCeiling } from "./ceiling.ts";

/** Awaits a batch that begins with `roomFor`. Throws the ceiling's refusal when one was reached; nothing was written then. */
export async function whileThereIsRoom<T>(write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const refused = refusedBy(error);
    if (!refused || !isCeiling(refused.name)) throw error;
    const { code, refusal } = ceilingOf(refused.name);
    const { roomInSeconds: retryAfterSeconds } = refused;
    throw new AppError(code, refusal(refused.max), { retryAfterSeconds });
  }
}
