import { z } from "zod";
import type { ApiClient } from "#test/support/api-client.ts";

/** A JSON schema as the document has it. */
export const JsonSchema = z.record(z.string(), z.unknown());
export type JsonSchema = Readonly<z.infer<typeof JsonSchema>>;
const Media = z.record(z.string(), z.object({ schema: JsonSchema, example: z.unknown().optional() }));
const Response = z.object({ description: z.string().min(1), content: Media.default({}) });

const Operation = z.object({
  operationId: z.string().min(1),
  "x-alias-of": z.string().optional(),
  "x-internal": z.boolean().default(false),
  summary: z.string().min(1),
  tags: z.array(z.string()).length(1),
  description: z.string().default(""),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(["path", "query", "header"]),
      required: z.boolean(),
      schema: JsonSchema,
      example: z.unknown().optional(),
    }),
  ),
  requestBody: z.object({ required: z.boolean(), content: Media }).optional(),
  responses: z.record(z.string(), Response),
});

/** The parts of the OpenAPI document that the tests of this folder read. */
export const Document = z.object({
  openapi: z.string().regex(/^3\.1\.\d+$/u),
  info: z.object({ title: z.string().min(1), version: z.string().min(1) }),
  tags: z.array(z.object({ name: z.string(), description: z.string().min(20) })),
  "x-tagGroups": z.array(z.object({ name: z.string(), tags: z.array(z.string()) })),
  servers: z.array(z.object({ url: z.url() })).min(1),
  paths: z.record(
    z.string().startsWith("/"),
    z.partialRecord(z.enum(["get", "post", "put", "patch", "delete"]), Operation),
  ),
  "x-websockets": z.record(
    z.string().startsWith("/"),
    z.object({
      summary: z.string().min(1),
      description: z.string().min(1),
      "x-aliases": z.array(z.string()).optional(),
      "x-client-frames": JsonSchema,
      "x-server-frames": JsonSchema,
    }),
  ),
  components: z.object({
    securitySchemes: z.record(
      z.string(),
      z.union([
        z.object({ type: z.literal("http"), scheme: z.literal("bearer") }),
        z.object({
          type: z.literal("apiKey"),
          in: z.literal("cookie"),
          name: z.enum(["session", "__Host-session"]),
        }),
      ]),
    ),
    schemas: z.record(z.string(), JsonSchema),
  }),
});
export type Document = z.infer<typeof Document>;

/** One documented method of one path. */
export interface Operation extends z.infer<typeof Operation> {
  /** `GET /api/projects/{project}`. */
  name: string;
  method: string;
  template: string;
  /** Whether people are admitted. */
  person: boolean;
  /** Whether keys are admitted. */
  keys: boolean;
  /** The permissions that a key needs, all of them. */
  scopes: string[];
  /** What a person needs besides a session: a permission in the team of the path, or `superuser`. */
  permission: string | undefined;
  isPublic: boolean;
  /** Another path to the same endpoint. */
  isAlias: boolean;
  pathParameters: string[];
}

export async function readDocument(service: ApiClient): Promise<Document> {
  return Document.parse((await service.call("GET", "/openapi.json")).body);
}

export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      name: `${method.toUpperCase()} ${template}`,
      method: method.toUpperCase(),
      template,
      person: operation.security.some((each) => "accessToken" in each),
      keys: operation.security.some((each) => "apiKey" in each),
      permission: operation.security.flatMap((each) => each["accessToken"] ?? [])[0],
      scopes: operation.security.flatMap((each) => each["apiKey"] ?? []),
      isPublic: operation.security.length === 0,
      isAlias: operation["x-alias-of"] !== undefined,
      pathParameters: Array.from(template.matchAll(/\{(\w+)\}/gu), ([, name = ""]) => name),
    })),
  );
}

/** The schema of the JSON body, its `$ref`s resolved against the document; `undefined` for an operation without one. */
export function bodySchemaOf(document: Document, operation: Operation): JsonSchema | undefined {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return schema && resolve(document, schema);
}

/** A schema, or what it refers to. */
export function resolve({ components }: Document, schema: JsonSchema): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  const found = components.schemas[$ref.replace("#/components/schemas/", "")];
  if (!found) throw new Error(`The document has no ${$ref}`);
  return found;
}

/** The components that a schema refers to, also by way of others: all of the document would take a tenth of a second. */
function componentsOf({ components }: Document, schema: JsonSchema): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = {};
  const follow = (part: JsonSchema) => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/gu)) {
      const own = components.schemas[name];
      if (!own || name in found) continue;
      found[name] = own;
      follow(own);
    }
  };
  follow(schema);
  return found;
}

/**
 * The document's schema as a Zod schema, which checks a live answer by it. With `exact`, fields that the document does not
 * have are faults, although clients must accept them.
 */
export function validatorOf(
  document: Document,
  schema: JsonSchema,
  { exact = false }: { exact?: boolean } = {},
): z.ZodType {
  const text = JSON.stringify(
    { ...schema, $defs: componentsOf(document, schema) },
    (_key, value: unknown) => {
      const part = JsonSchema.safeParse(value).data;
      const isClosed = exact && part?.["type"] === "object" && "properties" in part;
      return isClosed && !("additionalProperties" in part) ? { ...part, additionalProperties: false } : value;
    },
  );
  return z.fromJSONSchema(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")));
}
