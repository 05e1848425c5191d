import * as fc from "fast-check";
import { anyText } from "#test/support/any-text.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { resolve, type Document, type JsonSchema } from "./operations.ts";

/** Arbitrary values by the name of the field, where the schema alone would hardly ever name something that exists. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const HOSTILE_TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "a\udc00",
  "😀".repeat(40),
  "\u202eevil\u2066",
  "\ufeff\uffff",
  "e\u0301".repeat(30),
  "../../etc/passwd",
  "..\\..\\windows",
  "/etc/passwd",
  "%00",
  "%2e%2e%2f",
  "'; DROP TABLE users; --",
  '" OR 1=1 --',
  "{{7*7}}${7*7}",
  "<script>alert(1)</script>",
  "a\r\nSet-Cookie: a=b",
  "null",
  "NaN",
  "-Infinity",
  "1e309",
  "-0",
  "0x10",
  "9".repeat(400),
  "__proto__",
  "constructor",
  "2020-02-30T25:61:61Z",
  "00000000-0000-0000-0000-000000000000",
  "x".repeat(100_001),
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  anyText({ maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
);

/** A value nested as deep as `depth`, in lists or objects. */
function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    -1e308,
    2 ** 53,
    -(2 ** 63),
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<unknown>(
    nested(300, (inner) => [inner]),
    nested(300, (a) => ({ a })),
    { $ref: "#" },
  ),
  fc.array(hostileText, { maxLength: 4 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
);

/** Values that a schema takes, as far as the schema tells. */
function validValue(document: Document, schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const own = resolve(document, schema);
  const { type, enum: values, anyOf, properties, items, additionalProperties } = own;
  const each = (inner: unknown) => validValue(document, fieldsOf(inner), known);
  if (Array.isArray(values)) return fc.constantFrom<unknown>(...values);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(each));
  if (Array.isArray(type)) return fc.oneof(...type.map((one: unknown) => each({ ...own, type: one })));
  if (type === "object" && properties) return validObject(document, own, known);
  if (type === "object" || additionalProperties) return fc.dictionary(fc.string(), fc.jsonValue());
  if (type === "array")
    return fc.array(each(items), { maxLength: 5, minLength: Number(own["minItems"] ?? 0) });
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  if (type === "integer")
    return fc.integer({ min: numberOr(own["minimum"], 0), max: numberOr(own["maximum"], 1e6) });
  if (type === "string") return validText(own);
  return fc.jsonValue();
}

/** Objects that a schema takes, each optional field there or not. */
export function validObject(
  document: Document,
  schema: JsonSchema,
  known: Known,
): fc.Arbitrary<Record<string, unknown>> {
  const { properties, required } = resolve(document, schema);
  const fields = Object.entries(properties ?? {}).map(([name, property]): [string, fc.Arbitrary<unknown>] => [
    name,
    known[name] ?? validValue(document, fieldsOf(property), known),
  ]);
  const requiredKeys = Array.isArray(required) ? required.map(String) : [];
  return fc.record(Object.fromEntries(fields), { requiredKeys });
}

/** Bodies of which something is wrong: fields of other types, missing, unknown or with names that objects have. */
export function spoiledBody(document: Document, schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const names = [
    ...Object.keys(resolve(document, schema)["properties"] ?? {}),
    "__proto__",
    "constructor",
    "extra",
  ];
  const change = fc.record({
    name: fc.constantFrom(...names),
    value: fc.oneof({ weight: 5, arbitrary: hostileValue }, { weight: 1, arbitrary: fc.constant(undefined) }),
  });
  const spoiled = fc
    .tuple(validObject(document, schema, known), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([body, changes]) =>
      // Unlike an assignment this makes an own field of `__proto__`, too.
      Object.fromEntries([...Object.entries(body), ...changes.map(({ name, value }) => [name, value])]),
    );
  return fc.oneof({ weight: 6, arbitrary: spoiled }, { weight: 1, arbitrary: hostileValue });
}

/** Texts that a schema of a string takes. */
export function validText({ format, pattern, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === "uuid") return fc.uuid();
  if (format === "email") return fc.emailAddress();
  if (format === "date-time")
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map((date) => date.toISOString());
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern, "u"));
  const bounds = { minLength: numberOr(minLength, 0), maxLength: Math.min(numberOr(maxLength, 200), 2000) };
  return fc.oneof(fc.string(bounds), fc.string({ ...bounds, unit: "grapheme" }));
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : fallback;
}
