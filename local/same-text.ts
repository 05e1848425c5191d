import { timingSafeEqual } from "node:crypto";

/** Compares a caller's text with a secret one. The comparison's time reveals only the length. */
export function sameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
