import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";

export type Json = Record<string, unknown>;

const REFERENCE = "#/components/schemas/";

/** The schemas of an OpenAPI document that have names: those with an id, and those that an operation names. */
export class Components {
  readonly schemas: Json = {};

  /** A schema as JSON Schema. Schemas with an id become components, and references to these. */
  describe(schema: z.ZodType, io: "input" | "output"): Json {
    const described = z.toJSONSchema(schema, {
      io,
      target: "draft-2020-12",
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => {
        // Clients must accept fields that are added later. `looseObject` says more: such fields exist.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        // Not a limit of the API: JavaScript has no larger integers.
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        const discriminator = discriminatorOf(zodSchema);
        if (discriminator) Object.assign(jsonSchema, { discriminator });
      },
    });
    const { $schema: _, $defs = {}, ...rest } = relink(described);
    Object.assign(this.schemas, $defs);
    return rest;
  }

  /**
   * As `describe`, where an object without a name becomes the component `name`, and the objects of an array the component
   * `<name>Item`, so that every type of a generated client has a name.
   */
  describeNamed(name: string, schema: z.ZodType, io: "input" | "output"): Json {
    return this.#named(name, this.describe(schema, io));
  }

  #named(name: string, described: Json): Json {
    const { $ref, type, items } = described;
    if ($ref !== undefined || SCALARS.has(type)) return described;
    if (type === "array") {
      return { ...described, items: this.#named(`${name}Item`, Described.parse(items ?? {})) };
    }
    this.schemas[name] = described;
    return { $ref: `${REFERENCE}${name}` };
  }
}

const SCALARS: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null"]);
const Described = z.record(z.string(), z.unknown());

/** How readers of a discriminated union tell its members apart, if each member has a name. */
function discriminatorOf(schema: z.core.$ZodType): Json | undefined {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return undefined;
  const { discriminator } = schema.def;
  const mapping: Record<string, string> = {};
  for (const option of schema.options) {
    const id = z.globalRegistry.get(option)?.id;
    if (id === undefined) return undefined;
    for (const value of option._zod.propValues?.[discriminator] ?? []) {
      mapping[String(value)] = `${REFERENCE}${id}`;
    }
  }
  return { propertyName: discriminator, mapping };
}

/** Rewrites each `$ref`, which is relative to the root of the document and not of the schema. */
function relink(schema: object): Json {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === "$ref" && typeof value === "string" ? value.replace(/^#\/\$defs\//u, REFERENCE) : value,
  );
  return parseJson(text, Described);
}
