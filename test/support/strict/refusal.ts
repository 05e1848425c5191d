/** Checks that both wires share. Each returns the sentence of a refusal, or undefined. */

/** Names of tools. https://platform.openai.com/docs/api-reference/chat/create, https://docs.anthropic.com/en/api/messages */
export function refusedName(name: unknown): string | undefined {
  const isValid = typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/u.test(name);
  return isValid ? undefined : `name: ${JSON.stringify(name)} does not match '^[a-zA-Z0-9_-]{1,64}$'`;
}

/** A text anywhere in a request: valid Unicode without NUL. */
export function refusedText(value: unknown, path = "request"): string | undefined {
  if (typeof value === "string") {
    if (!value.isWellFormed()) return `${path}: no low surrogate in string`;
    return value.includes("\0") ? `${path}: NUL in string` : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, field] of Object.entries(value)) {
    const refused = refusedText(key, path) ?? refusedText(field, `${path}.${key}`);
    if (refused) return refused;
  }
  return undefined;
}

/** How the bytes of each accepted format begin, as base64. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  "image/png": /^iVBORw0KGgo/u,
  "image/jpeg": /^\/9j\//u,
  "image/gif": /^R0lGOD/u,
  "image/webp": /^UklGR/u,
};

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/u;

/** A picture as base64, of at most `mostMiB`. */
export function refusedImage(mimeType: string, base64: string, mostMiB: number): string | undefined {
  const beginning = BEGINNINGS[mimeType];
  if (!beginning) return `image: media type ${mimeType} is not supported`;
  if (!BASE64.test(base64) || base64.length % 4 !== 0) return "image: invalid base64 data";
  if (!beginning.test(base64)) return `image: the data does not match the media type ${mimeType}`;
  const isTooLarge = (base64.length / 4) * 3 > mostMiB * 1024 * 1024;
  return isTooLarge ? `image: exceeds ${mostMiB} MB maximum` : undefined;
}

/** The first refusal of several checks. */
export function firstRefusal(...refusals: readonly (string | undefined)[]): string | undefined {
  return refusals.find((refusal) => refusal !== undefined);
}
