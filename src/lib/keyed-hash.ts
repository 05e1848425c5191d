import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/**
 * HMAC-SHA256 of a text for one purpose, as 64 lowercase hexadecimal characters: for what could be guessed from a hash without a
 * key. `secretKey` is SECRET_KEY; under another one no earlier hash is known.
 */
export function keyedHash(secretKey: string, purpose: string, text: string): string {
  return bytesToHex(hmac(sha256, utf8ToBytes(secretKey), utf8ToBytes(`${purpose} ${text}`)));
}
