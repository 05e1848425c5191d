import { base64url } from "jose";
import { sha256Hex } from "./hash.ts";

const BYTES = 48;
/** A part of a path that has the shape of a token. */
const TOKEN = /(?<=\/)[\w-]{64}(?=\/|$)/gu;

/** 64 random URL-safe characters for somebody to hold, and the SHA-256 under which the service keeps them. */
export function newToken(): { token: string; hash: string } {
  const token = base64url.encode(crypto.getRandomValues(new Uint8Array(BYTES)));
  return { token, hash: sha256Hex(token) };
}

/** A path as it may be logged: some links carry their token in it. */
export function withoutTokens(path: string): string {
  return path.replaceAll(TOKEN, "…");
}
