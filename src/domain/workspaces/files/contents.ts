import { AppError } from "#src/lib/errors.ts";

/** How a file's bytes are written as JSON text. */
export type Encoding = "utf-8" | "base64";

/** Bytes as text in an encoding; `undefined` if UTF-8 is requested and the bytes are not UTF-8. */
export function toText(bytes: Uint8Array, encoding: Encoding): string | undefined {
  if (encoding === "base64") {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  }
  try {
    // A byte order mark is part of the content, so that writing it back changes nothing.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes text to bytes. Throws `invalid_input` for text that is invalid in the encoding. */
export function toBytes(text: string, encoding: Encoding): Uint8Array {
  if (encoding === "base64") {
    // The decoder skips invalid characters, so the text is checked first.
    const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/u.test(text);
    if (!isBase64) throw new AppError("invalid_input", "The content is not base64");
    return Buffer.from(text, "base64");
  }
  if (!text.isWellFormed()) throw new AppError("invalid_input", "The content is not well-formed Unicode");
  return new TextEncoder().encode(text);
}
