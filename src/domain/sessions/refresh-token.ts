import { base64url } from "jose";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { NewRefreshRecord } from "./queries.ts";

const TOKEN_BYTES = 48;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A token of 64 URL-safe characters, and the record of it that is stored. */
export function newRefreshToken(
  days: number,
  client: { address: string; userAgent: string },
): { token: string; record: NewRefreshRecord } {
  const token = base64url.encode(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
  const record = {
    id: newId(),
    tokenHash: sha256Hex(token),
    expiresAt: new Date(Date.now() + days * DAY_MS),
    userAgent: client.userAgent,
    ipAddress: client.address,
  };
  return { token, record };
}
