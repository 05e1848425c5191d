import { z } from "zod";

/** A key that names a request, chosen by its client: printable ASCII, so that it survives headers and logs unchanged. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/u, "must have 1 to 255 printable characters");

/** The header of requests that a client may repeat without doing the same twice. */
export const IdempotencyHeaders = z.object({
  "Idempotency-Key": IdempotencyKey.optional().describe(
    "A name of the client's own for this request, 1 to 255 printable characters without spaces. A repetition with the same key gets the first response",
  ),
});
