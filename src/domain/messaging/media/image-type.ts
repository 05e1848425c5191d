import type { ImageMimeType } from "#src/models/model.ts";

/** First bytes of the pictures that models read. */
const BEGINNINGS: readonly (readonly [ImageMimeType, at: number, bytes: string])[] = [
  ["image/png", 0, "\u{89}PNG\r\n\u{1A}\n"],
  ["image/jpeg", 0, "\u{FF}\u{D8}\u{FF}"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
];

/**
 * The type of a picture that models read, by its first bytes: a model refuses a picture of another type than it was
 * called, and platforms call many wrongly. Undefined for all other files.
 */
export function imageTypeOf(bytes: Uint8Array): ImageMimeType | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  return BEGINNINGS.find(([, at, beginning]) => head.startsWith(beginning, at))?.[0];
}
