import { base64url } from "jose";
import { sha256Hex } from "./hash.ts";

const BYTES = 48;

/** 64 random URL-safe characters for a client, and the SHA-256 that the service stores. */
export function newToken(): { token: string; hash: string } {
  const token = base64url.encode(crypto.getRandomValues(new Uint8Array(BYTES)));
  return { token, hash: sha256Hex(token) };
}
