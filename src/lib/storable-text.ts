/**
 * Text that the database can store and a provider accepts: PostgreSQL refuses NUL and unpaired surrogates, and a model
 * may write either. Both become the replacement character.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** Returns a JSON value with storable texts and names, at any depth. */
export function storableJson<T>(value: T): T;
export function storableJson(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map((item) => storableJson(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [storableText(name), storableJson(field)]),
  );
}
