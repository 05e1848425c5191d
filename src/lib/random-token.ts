import { base64url } from "jose";
import { sha256Hex } from "./hash.ts";

const BYTES = 48;

/** 64 random URL-safe characters for a person to hold, and the SHA-256 under which the service keeps them. */
export function newToken(): { token: string; hash: string } {
  const token = base64url.encode(crypto.getRandomValues(new Uint8Array(BYTES)));
  return { token, hash: sha256Hex(token) };
}
