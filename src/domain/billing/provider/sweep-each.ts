import { AppError } from "#src/lib/errors.ts";

/**
 * Acts on one item after another. A failure does not stop the others, unless the provider cannot be reached: then the next
 * sweep takes the rest. `onFailure` logs.
 */
export async function sweepEach<T>(
  items: readonly T[],
  act: (item: T) => Promise<void>,
  onFailure: (item: T, cause: unknown) => void,
): Promise<void> {
  for (const item of items) {
    try {
      await act(item);
    } catch (error) {
      onFailure(item, error);
      if (error instanceof AppError && error.code === "unavailable") return;
    }
  }
}
