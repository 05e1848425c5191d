import { hexToBytes } from "@noble/hashes/utils.js";
import { sameText } from "#src/lib/same-text.ts";

/** How far the time of a signature may be from now, in either direction. */
const SIGNED_WITHIN_SECONDS = 300;

/**
 * The bytes of a signature in hexadecimal, or undefined. Capital letters are refused: no platform sends them, and each
 * signature then has one spelling only.
 */
export function signatureBytes(
  text: string | null,
  { prefix = "", length }: { prefix?: string; length: number },
): Uint8Array<ArrayBuffer> | undefined {
  if (text === null || !text.startsWith(prefix)) return undefined;
  const hex = text.slice(prefix.length);
  if (hex.length !== length * 2 || !/^[0-9a-f]+$/u.test(hex)) return undefined;
  return Uint8Array.from(hexToBytes(hex));
}

/** Whether a time in seconds since the epoch, as signed requests carry it, is near `now`, in milliseconds. */
export function isSignedNow(seconds: string | null, now: number): seconds is string {
  if (seconds === null || !/^\d{1,12}$/u.test(seconds)) return false;
  return Math.abs(now / 1000 - Number(seconds)) <= SIGNED_WITHIN_SECONDS;
}

/** Checks an HMAC-SHA256 in constant time. An empty secret signs nothing. */
export async function isHmacSha256(
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer> | undefined,
): Promise<boolean> {
  if (secret === "" || signature === undefined) return false;
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  return crypto.subtle.verify("HMAC", key, signature, signed);
}

/** Compares what was given with a secret, in constant time. An empty secret equals nothing. */
export function isSecret(given: string | null, secret: string): boolean {
  return given !== null && secret !== "" && sameText(given, secret);
}

/** The bytes of a text followed by others: what Slack and Discord sign. */
export function withPrefix(text: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const prefix = new TextEncoder().encode(text);
  const joined = new Uint8Array(prefix.length + bytes.length);
  joined.set(prefix);
  joined.set(bytes, prefix.length);
  return joined;
}
