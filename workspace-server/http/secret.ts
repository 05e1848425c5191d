import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { AppError } from "#src/lib/errors.ts";
import { SECRET_HEADER } from "#src/platform/runtime/http-runtime/protocol.ts";

/** Throws `unauthenticated` for a request without the secret. */
export type SecretCheck = (request: IncomingMessage) => void;

/**
 * Checks the secret of every request against its SHA-256, which is all that this server knows. The project's programs
 * can read the server's command line and environment, but the hash does not reveal 48 random bytes. Throws for anything
 * but a SHA-256: a server without a secret would accept every client.
 */
export function secretCheck(sha256: string): SecretCheck {
  if (!/^[0-9a-f]{64}$/u.test(sha256)) throw new Error("serve needs --secret-sha256: 64 hexadecimal digits");
  const expected = Buffer.from(sha256, "hex");
  return ({ headers }) => {
    const given = headers[SECRET_HEADER];
    // Hashes have the same length, so the comparison takes constant time and reveals nothing about the secret.
    const isRight =
      typeof given === "string" && timingSafeEqual(createHash("sha256").update(given).digest(), expected);
    if (!isRight) throw new AppError("unauthenticated", "The workspace server needs its secret");
  };
}
