/** The value of a JSON text; undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    // oxlint-disable-next-line no-restricted-properties -- the one place of the client; a schema library does not fit its size
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A value of the service, taken to be what its description says: a check of each would need the schemas, which do not fit
 * the client's size.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type that is described
export function trusted<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where the client does so
  return value as T;
}

/** Whether a value is an object with fields. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type Fields = Readonly<Record<string, unknown>>;

/* Readers of JSON of unknown shape: what is not as expected is undefined or empty, so that newer services do no harm. */

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return Number.isFinite(value) ? Number(value) : undefined;
}

/** A whole number; 0 for everything else. */
export function wholeOf(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : 0;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
