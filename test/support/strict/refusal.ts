/** Checks that both wires share. Each returns the sentence of a refusal, or undefined. */

/** Names of tools. https://platform.openai.com/docs/api-reference/chat/create, https://docs.anthropic.com/en/api/messages */
export function refusedName(name: unknown): string | undefined {
  const isValid = typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/u.test(name);
  return isValid ? undefined : `name: ${JSON.stringify(name)} does not match '^[a-zA-Z0-9_-]{1,64}$'`;
}

const FIELD = /^[a-zA-Z0-9_.-]{1,64}$/u;
const AT_THE_TOP = ["oneOf", "anyOf", "allOf", "enum", "not"];
const UNKNOWN = new Set([
  "$ref",
  "$dynamicRef",
  "$defs",
  "$schema",
  "$id",
  "propertyNames",
  "unevaluatedProperties",
]);

/** The schema of a tool's arguments, by the strictest rules of both providers and of servers with their protocols. */
export function refusedSchema(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null) return "input_schema: must be an object";
  if (!("type" in schema) || schema.type !== "object") return "input_schema.type: must be 'object'";
  const top = AT_THE_TOP.find((keyword) => keyword in schema);
  if (top !== undefined) return `input_schema does not support ${top} at the top level`;
  return refusedPart(schema, 0);
}

function refusedPart(part: unknown, depth: number): string | undefined {
  if (depth > 40) return "input_schema: is nested too deep";
  if (Array.isArray(part)) return firstRefusal(...part.map((each) => refusedPart(each, depth + 1)));
  if (typeof part !== "object" || part === null) return undefined;
  const { properties, ...keywords } = Object.fromEntries(Object.entries(part));
  const fields = Object.entries(Object(properties ?? {}));
  const unknown = Object.keys(keywords).find((keyword) => UNKNOWN.has(keyword));
  const misnamed = fields.find(([name]) => !FIELD.test(name));
  return firstRefusal(
    unknown === undefined ? undefined : `input_schema: ${unknown} is not supported`,
    misnamed && `input_schema.properties: '${misnamed[0]}' does not match ${FIELD.source}`,
    "type" in keywords && keywords["type"] === "array" && !("items" in keywords)
      ? "input_schema: array schema missing items"
      : undefined,
    ...fields.map(([, field]) => refusedPart(field, depth + 1)),
    ...["items", "anyOf", "allOf", "additionalProperties"].map((keyword) =>
      refusedPart(keywords[keyword], depth + 1),
    ),
  );
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
