import { AppError } from "#src/lib/errors.ts";

/** Returns the known value. Throws `invalid_input` for any other: clients know bad values of these fields as 400. */
export function oneOf<T extends string>(known: readonly T[], value: string, field: string): T {
  const found = known.find((each) => each === value);
  if (found === undefined)
    throw new AppError("invalid_input", `${field} must be one of: ${known.join(", ")}`);
  return found;
}
