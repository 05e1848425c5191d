import { isWordy } from "./randomness.ts";

const MAX_AUTHORITY_LENGTH = 512;
/** Length from which a text alone before the `@` counts as a token rather than a user name. */
const MIN_TOKEN_LENGTH = 16;
const AUTHORITY = /^[^\s/?#"'`<>\\«»]*/u;

/**
 * Returns where an address, whose `://` is at `separator`, holds a secret: the password before the `@`, or a token in
 * its place.
 */
export function credentialsAt(text: string, separator: number): { start: number; end: number } | undefined {
  const from = separator + 3;
  const authority = AUTHORITY.exec(text.slice(from, from + MAX_AUTHORITY_LENGTH))?.[0] ?? "";
  const at = authority.lastIndexOf("@");
  if (at <= 0) return undefined;
  const colon = authority.slice(0, at).indexOf(":");
  const start = from + colon + 1;
  const end = from + at;
  const value = text.slice(start, end);
  if (value === "" || /^(?:[$%{<*.[]|:)/u.test(value)) return undefined;
  if (colon === -1 && (value.length < MIN_TOKEN_LENGTH || isWordy(value))) return undefined;
  return { start, end };
}
