import { randomBytes } from "@noble/hashes/utils.js";
import { keyedHash } from "#src/lib/keyed-hash.ts";

/**
 * Consonants, so that no code is a word, without those that are mistaken for another letter: L for I, N for M, Q for O, V
 * for W. Source: RFC 8628, section 6.1.
 */
const ALPHABET = "BCDFGHJKMPRSTWXZ";
const LENGTH = 8;

/** A user code as it is shown: `BCDF-GHJK`. 32 random bits: the alphabet has 16 letters, each as likely as the others. */
export function newUserCode(): string {
  const code = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/**
 * What the service stores for a user code, in any spelling: upper or lower case, with spaces, dashes or other signs. All
 * codes can be tried in seconds, so the database alone must not suffice.
 */
export function userCodeHash(secretKey: string, code: string): string {
  const letters = code.toUpperCase().replaceAll(/[^A-Z]/gu, "");
  return keyedHash(secretKey, "device sign-in", letters);
}
