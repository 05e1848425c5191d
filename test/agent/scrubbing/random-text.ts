import type { Random } from "#test/support/random.ts";

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
export const HEX = `${DIGITS}abcdef`;
export const BASE36 = LOWER + DIGITS;
export const BASE62 = BASE36 + LOWER.toUpperCase();
export const BASE64URL = `${BASE62}-_`;
export const BASE64 = `${BASE62}+/`;
export const UPPER36 = DIGITS + LOWER.toUpperCase();

/** Characters drawn from an alphabet. */
export function randomText(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(random.whole(0, alphabet.length - 1))).join("");
}
