import { AppError } from "#src/lib/errors.ts";
import { IMAGE_BASE64_CHARS, IMAGE_MIME_TYPES } from "#src/models/model.ts";
import { readPicture } from "#src/models/picture.ts";

/**
 * Decodes a picture that a client sends as base64; the prefix of a data URI is removed. Throws `invalid_input` for what
 * is no picture, and `too_large` for one that no model takes.
 */
export function sentPicture(content: string): { bytes: Uint8Array<ArrayBuffer>; mimeType: string } {
  const prefix = /^data:[\w/+.-]+;base64,/u.exec(content.slice(0, 100));
  const base64 = content.slice(prefix?.[0].length ?? 0);
  if (base64.length > IMAGE_BASE64_CHARS) {
    throw new AppError("too_large", `An image may have at most ${IMAGE_BASE64_CHARS} characters of base64`);
  }
  if (base64 === "" || !/^[A-Za-z0-9+/]+={0,2}$/u.test(base64)) {
    throw new AppError("invalid_input", "The content of an image must be base64");
  }
  const bytes = Uint8Array.from(Buffer.from(base64, "base64"));
  const picture = readPicture(bytes);
  if (!picture) {
    throw new AppError(
      "invalid_input",
      `An image must be one of ${IMAGE_MIME_TYPES.join(", ")}, and not damaged`,
    );
  }
  return { bytes, mimeType: picture.mimeType };
}
