import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/** Compares a caller's text with a secret one, in constant time. Hashes are compared, so the time does not reveal a length. */
export function sameText(given: string, expected: string): boolean {
  const [one, other] = [sha256(utf8ToBytes(given)), sha256(utf8ToBytes(expected))];
  return one.reduce((difference, byte, at) => difference | (byte ^ (other[at] ?? 0)), 0) === 0;
}
