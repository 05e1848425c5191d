import { createHash, createHmac, randomUUID } from "node:crypto";

/** Lifetime of a signature, as in QStash. */
const VALID_SECONDS = 300;

const HEADER = base64url(JSON.stringify({ alg: "HS256", typ: "JWT" }));

/**
 * Signs deliveries as QStash does: a JWT (HS256) over the destination and the hash of the body. QStash sets `nbf` to 0
 * since receivers with a skewed clock refused valid signatures.
 * https://upstash.com/docs/qstash/features/security#claims
 *
 * Implemented without a library, because WebCrypto's thread pool would cost each delivery milliseconds.
 */
export function createSigner(signingKey: string): (url: string, body: Uint8Array) => string {
  return (url, body) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: "Upstash",
      sub: url,
      iat: now,
      nbf: 0,
      exp: now + VALID_SECONDS,
      jti: `jwt_${randomUUID().replaceAll("-", "")}`,
      body: createHash("sha256").update(body).digest("base64url"),
    };
    const content = `${HEADER}.${base64url(JSON.stringify(claims))}`;
    return `${content}.${createHmac("sha256", signingKey).update(content).digest("base64url")}`;
  };
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
