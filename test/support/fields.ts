const hasFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** The fields of a value whose shape no type tells, such as a body or a payload. Throws where there are none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!hasFields(value)) throw new TypeError(`Not an object: ${JSON.stringify(value)}`);
  return value;
}
