import { timingSafeEqual } from "node:crypto";

/** Whether a caller's text is the secret one. The time that the comparison takes tells its length and nothing else. */
export function sameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
