import { storableText } from "#src/lib/storable-text.ts";

const MAX_NAME_BYTES = 150;
const MAX_TYPE_CHARS = 200;

/**
 * The last segment of a client's file name, without characters that are special in a path or a line, hide or change the
 * direction of text. Of a long name the end stays, which has the extension.
 */
export function storedName(filename: string): string {
  const last = filename.split(/[/\\]/u).at(-1) ?? "";
  const plain = storableText(last)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, "_")
    .trim();
  const bytes = new TextEncoder().encode(plain).subarray(-MAX_NAME_BYTES);
  // The cut may have split the first character.
  const name = new TextDecoder().decode(bytes).replace(/^\uFFFD+/u, "");
  return name === "" || name === "." || name === ".." ? "file" : name;
}

/** The media type that a client states, if it is one. */
export function storedType(mimeType: string): string {
  const type = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^[\w.+-]+\/[\w.+-]+$/u.test(type) && type.length <= MAX_TYPE_CHARS
    ? type
    : "application/octet-stream";
}
