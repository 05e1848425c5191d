/** Largest schema of a tool's arguments that is offered, as JSON. */
const MAX_SCHEMA_CHARS = 16_000;
const MAX_DEPTH = 16;
/** Names of fields that every provider takes. */
const FIELD = /^[a-zA-Z0-9_.-]{1,64}$/u;

/** Keywords that are kept as they are. All others are left out: the server checks its arguments itself. */
const PLAIN: ReadonlySet<string> = new Set([
  "default",
  "format",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
]);

const TYPES: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

type Json = Record<string, unknown>;

/** Why a schema cannot be made acceptable, as the end of a sentence. */
class Unusable extends Error {}

/**
 * The schema of a tool's arguments as every provider takes it: an object without references, and with the keywords that all know.
 * Definitions are put where they are referred to. Returns the problem of a schema that refers to itself, that is too large, or
 * whose fields have names that providers refuse.
 */
export function toInputSchema(schema: unknown): { schema: Json } | { problem: string } {
  try {
    if (schema === undefined || schema === null) return { schema: { type: "object", properties: {} } };
    if (!isObject(schema)) throw new Unusable("its schema is not an object");
    const converted = new Conversion(schema).root();
    if (JSON.stringify(converted).length > MAX_SCHEMA_CHARS) {
      throw new Unusable(`its schema has more than ${MAX_SCHEMA_CHARS.toLocaleString("en")} characters`);
    }
    return { schema: converted };
  } catch (error) {
    if (error instanceof Unusable) return { problem: error.message };
    throw error;
  }
}

class Conversion {
  readonly #root: Json;
  /** References are put in place each time: without a limit, a few of them make a schema of any size. */
  #nodes = 0;

  constructor(root: Json) {
    this.#root = root;
  }

  root(): Json {
    const { properties, required, description } = this.#merged(this.#root, [], 0);
    return {
      type: "object",
      ...(typeof description === "string" && { description }),
      properties: properties ?? {},
      ...(required !== undefined && { required }),
    };
  }

  /** The fields of an object and of what it is composed of. Providers take no alternatives at the top. */
  #merged(schema: Json, seen: readonly string[], depth: number): Json {
    const target = this.#resolved(schema, seen);
    const own = this.#convert(target.schema, target.seen, depth, { isRoot: true });
    if (own["type"] !== undefined && own["type"] !== "object")
      throw new Unusable("its arguments are not an object");
    const parts = (["allOf", "anyOf", "oneOf"] as const).flatMap((keyword) =>
      listOf(target.schema[keyword]).map((part) => ({
        isRequired: keyword === "allOf",
        part: this.#merged(part, target.seen, depth + 1),
      })),
    );
    const properties = Object.assign({}, ...parts.map(({ part }) => part["properties"]), own["properties"]);
    const required = [own, ...parts.filter(({ isRequired }) => isRequired).map(({ part }) => part)]
      .flatMap((part) => namesOf(part["required"]))
      .filter((name) => Object.hasOwn(properties, name));
    return { ...own, properties, ...(required.length > 0 && { required: [...new Set(required)] }) };
  }

  #convert(
    given: unknown,
    path: readonly string[],
    depth: number,
    { isRoot = false }: { isRoot?: boolean } = {},
  ): Json {
    this.#nodes += 1;
    if (depth > MAX_DEPTH || this.#nodes > MAX_SCHEMA_CHARS / 8)
      throw new Unusable("its schema is too deep or large");
    // `true` allows anything; `false` stands for fields that are not to be sent, whose absence no keyword can demand.
    if (!isObject(given)) return {};
    const { schema, seen } = this.#resolved(given, path);
    const next = (part: unknown) => this.#convert(part, seen, depth + 1);
    const converted: Json = {};
    if (typeof schema["description"] === "string") converted["description"] = schema["description"];
    for (const keyword of PLAIN) if (Object.hasOwn(schema, keyword)) converted[keyword] = schema[keyword];
    if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) converted["enum"] = schema["enum"];
    if (Object.hasOwn(schema, "const")) converted["enum"] = [schema["const"]];
    const type = typeOf(schema["type"]);
    if (type !== undefined) converted["type"] = type;
    if (isObject(schema["properties"])) {
      converted["properties"] = fieldsOf(schema["properties"], next);
      converted["type"] ??= "object";
      const fields = schema["properties"];
      const required = namesOf(schema["required"]).filter((name) => Object.hasOwn(fields, name));
      if (required.length > 0) converted["required"] = required;
    }
    if (typeof schema["additionalProperties"] === "boolean") {
      converted["additionalProperties"] = schema["additionalProperties"];
    } else if (isObject(schema["additionalProperties"])) {
      converted["additionalProperties"] = next(schema["additionalProperties"]);
    }
    const items = schema["items"] ?? listOf(schema["prefixItems"])[0];
    if (isObject(items)) converted["items"] = next(items);
    else if (converted["type"] === "array") converted["items"] = {};
    if (isRoot) return converted;
    const alternatives = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
    if (alternatives.length > 0) converted["anyOf"] = alternatives.map(next);
    const all = listOf(schema["allOf"]);
    return all.length > 0 ? this.#allOf(converted, all.map(next)) : converted;
  }

  #allOf(own: Json, parts: Json[]): Json {
    const all = [...parts, own];
    const required = [...new Set(all.flatMap((part) => namesOf(part["required"])))];
    const properties = Object.assign({}, ...all.map((part) => part["properties"]));
    return Object.assign(
      {},
      ...all,
      Object.keys(properties).length > 0 && { properties },
      required.length > 0 && { required },
    );
  }

  /** The schema behind a reference, and the references that led there. */
  #resolved(schema: Json, seen: readonly string[]): { schema: Json; seen: readonly string[] } {
    const reference = schema["$ref"] ?? schema["$dynamicRef"];
    if (reference === undefined) return { schema, seen };
    if (typeof reference !== "string" || !reference.startsWith("#"))
      throw new Unusable("its schema refers to another document");
    if (seen.includes(reference)) throw new Unusable("its schema refers to itself");
    const target = this.#at(reference);
    if (!isObject(target)) throw new Unusable("its schema refers to something that is not there");
    const { $ref: _, $dynamicRef: __, ...beside } = schema;
    return this.#resolved({ ...target, ...beside }, [...seen, reference]);
  }

  #at(reference: string): unknown {
    const steps = reference.slice(1).split("/").slice(1).map(unescaped);
    return steps.reduce<unknown>(
      (value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
      this.#root,
    );
  }
}

function fieldsOf(properties: Json, convert: (part: unknown) => Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, part]) => {
      if (!FIELD.test(name) || name === "__proto__")
        throw new Unusable("one of its arguments has a name that models cannot use");
      return [name, convert(part)];
    }),
  );
}

function typeOf(type: unknown): unknown {
  if (Array.isArray(type)) {
    const known = type.filter((each) => TYPES.has(each));
    return known.length === 1 ? known[0] : known.length > 1 ? known : undefined;
  }
  return TYPES.has(type) ? type : undefined;
}

/** One step of a JSON pointer in an address; as it stands where it is malformed. */
function unescaped(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

const namesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
