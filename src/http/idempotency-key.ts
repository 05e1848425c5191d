import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";

const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/u);

/** The `Idempotency-Key` of a request, if it has one. Throws `invalid_body` for a key that is none. */
export function idempotencyKeyOf(request: Request): string | undefined {
  const header = request.headers.get("idempotency-key");
  if (header === null) return undefined;
  const parsed = IdempotencyKey.safeParse(header);
  if (!parsed.success) {
    throw new AppError("invalid_body", "Idempotency-Key must have 1 to 255 printable characters");
  }
  return parsed.data;
}
