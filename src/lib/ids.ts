import { v5, v7, validate } from "uuid";

/** A UUIDv7: unique, and sorted by creation time. */
export function newId(): string {
  return v7();
}

/** The id of what belongs to another id, by its name: the same at every repetition. */
export function derivedId(of: string, name: string): string {
  return v5(name, of);
}

/** Whether a text is a UUID of any version, the form of the service's ids. */
export function isId(text: string): boolean {
  return validate(text);
}

/** As `isId`, and also the sentinel ids of the first migration, which have no UUID version. */
export function isGuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text);
}

/** `length` random hexadecimal characters from the platform's secure source. */
export function randomHex(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(Math.ceil(length / 2)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, length);
}

/** `length` random characters of `0-9a-z`, for suffixes that people see. */
export function randomSuffix(length: number): string {
  const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
  let suffix = "";
  while (suffix.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      // Bytes beyond the last multiple of 36 are dropped, because they would make the first letters more likely.
      if (byte < 252 && suffix.length < length) suffix += alphabet.charAt(byte % 36);
    }
  }
  return suffix;
}
