import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";

/**
 * Makes an object at the provider under an idempotency key. The provider repeats a failure under its key for a day, so after
 * one the object is made under another key. Throws what `make` throws.
 */
export async function makeOnce<T>(key: string, make: (key: string) => Promise<T>): Promise<T> {
  try {
    return await make(key);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "provider_failed") throw error;
    return make(`${key}-${newId()}`);
  }
}
