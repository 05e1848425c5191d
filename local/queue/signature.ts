import { createHash, randomUUID } from "node:crypto";
import { SignJWT } from "jose";

/** How long a signature is good, as QStash sets it. */
const VALID_SECONDS = 300;

/**
 * Sign deliveries as QStash does: a JWT over the destination and the hash of the body.
 * `nbf` is 0 there since a skewed receiver refused good signatures.
 * https://upstash.com/docs/qstash/features/security#claims
 */
export function createSigner(signingKey: string): (url: string, body: Uint8Array) => Promise<string> {
  const key = new TextEncoder().encode(signingKey);
  return (url, body) => {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ body: createHash("sha256").update(body).digest("base64url") })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer("Upstash")
      .setSubject(url)
      .setIssuedAt(now)
      .setNotBefore(0)
      .setExpirationTime(now + VALID_SECONDS)
      .setJti(`jwt_${randomUUID().replaceAll("-", "")}`)
      .sign(key);
  };
}
