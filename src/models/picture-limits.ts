import { IMAGE_BASE64_CHARS, type ImagePart } from "./model.ts";

/**
 * Most pictures of one request: Claude takes more of them only if each is below 2,000 pixels. Source:
 * https://platform.claude.com/docs/en/build-with-claude/vision
 */
export const REQUEST_PICTURES = 20;

/** Most base64 characters of all pictures of a request: Anthropic's API takes requests of 32 MB. */
export const REQUEST_PICTURE_CHARS = 20_000_000;

/** What a model takes of one picture. Claude's five MiB are of base64, not of bytes. */
function limitsOf(modelName: string): { base64Chars: number; side: number } {
  return /claude/iu.test(modelName)
    ? { base64Chars: 5 * 1024 * 1024, side: 8_000 }
    : { base64Chars: IMAGE_BASE64_CHARS, side: Infinity };
}

/** Says why a model does not take a picture, as the rest of a sentence about it; undefined if it does. */
export function pictureProblem(
  modelName: string,
  { size, base64Chars }: { size?: ImagePart["size"] | undefined; base64Chars: number },
): string | undefined {
  const limits = limitsOf(modelName);
  if (base64Chars > limits.base64Chars) {
    return `has ${megabytes(base64Chars)} MB, and ${modelName} takes at most ${megabytes(limits.base64Chars)} MB`;
  }
  if (size && Math.max(size.width, size.height) > limits.side) {
    return `has ${size.width} × ${size.height} pixels, and ${modelName} takes at most ${limits.side} on a side`;
  }
  return undefined;
}

/** Base64 characters of so many bytes. */
export function base64CharsOf(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Megabytes of the bytes that so much base64 encodes. */
function megabytes(base64Chars: number): string {
  return ((base64Chars * 3) / 4 / 1_000_000).toFixed(1);
}
