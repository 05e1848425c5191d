import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toInputSchema } from "#src/domain/agent-work/mcp/input-schema.ts";
import { refusedSchema } from "#test/support/strict/refusal.ts";

describe("a schema of arguments", () => {
  it.each<[string, unknown, object]>([
    ["nothing", undefined, { type: "object", properties: {} }],
    [
      "an ordinary object",
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        title: "Args",
        type: "object",
        properties: { q: { type: "string", description: "What", pattern: "^a", minLength: 1 } },
        required: ["q", "gone"],
        additionalProperties: false,
      },
      {
        type: "object",
        properties: { q: { type: "string", description: "What", minLength: 1 } },
        required: ["q"],
      },
    ],
    [
      "references",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/A" }, b: { $ref: "#/definitions/x~1y" } },
        $defs: { A: { type: "array", items: { $ref: "#/$defs/B" } }, B: { const: 1 } },
        definitions: { "x/y": { type: "integer" } },
      },
      {
        type: "object",
        properties: { a: { type: "array", items: { enum: [1] } }, b: { type: "integer" } },
      },
    ],
    [
      "alternatives at the top",
      {
        anyOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { type: "object", properties: { b: true } },
        ],
        allOf: [{ properties: { c: { type: "null" } }, required: ["c"] }],
      },
      { type: "object", properties: { c: { type: "null" }, a: { type: "string" }, b: {} }, required: ["c"] },
    ],
    [
      "compositions within",
      {
        type: "object",
        properties: {
          p: {
            allOf: [
              { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
              { properties: { b: { type: "string" } } },
            ],
          },
          q: { oneOf: [{ type: "string" }, { type: "array" }] },
        },
      },
      {
        type: "object",
        properties: {
          p: {
            type: "object",
            properties: { a: { type: "string" }, b: { type: "string" } },
            required: ["a"],
          },
          q: { anyOf: [{ type: "string" }, { type: "array", items: {} }] },
        },
      },
    ],
  ])("of %s is made one that providers take", (_, given, expected) => {
    const made = toInputSchema(given);
    expect(made).toEqual({ schema: expected });
    expect(refusedSchema("schema" in made ? made.schema : undefined)).toBeUndefined();
  });

  const loop = { type: "object", properties: { child: { $ref: "#" } } };
  const bomb = {
    type: "object",
    properties: { a: { $ref: "#/$defs/l0" } },
    $defs: Object.fromEntries(
      Array.from({ length: 16 }, (_, level) => [
        `l${level}`,
        { properties: { x: { $ref: `#/$defs/l${level + 1}` }, y: { $ref: `#/$defs/l${level + 1}` } } },
      ]),
    ),
  };
  it.each<[string, unknown, string]>([
    ["refers to itself", loop, "its schema refers to itself"],
    [
      "refers to nothing",
      { properties: { a: { $ref: "#/$defs/A" } } },
      "its schema refers to something that is not there",
    ],
    ["refers elsewhere", { $ref: "http://169.254.169.254/" }, "its schema refers to another document"],
    [
      "has a field that models cannot use",
      { properties: { "a b": {} } },
      "one of its arguments has a name that models cannot use",
    ],
    [
      "has a dangerous field",
      JSON.parse('{"properties":{"__proto__":{}}}'),
      "one of its arguments has a name that models cannot use",
    ],
    ["is a list", [], "its schema is not an object"],
    ["is of a text", { type: "string" }, "its arguments are not an object"],
    ["unfolds without an end", bomb, "its schema is too deep or large"],
    [
      "is long",
      { properties: { a: { type: "string", description: "x".repeat(17_000) } } },
      "its schema has more than 16,000 characters",
    ],
  ])("that %s is not offered", (_, given, problem) => {
    expect(toInputSchema(given)).toEqual({ problem });
  });

  it("of any form is one that providers take, or has a sentence", () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "required",
      "items",
      "anyOf",
      "oneOf",
      "allOf",
      "$ref",
      "$defs",
      "enum",
      "const",
      "additionalProperties",
      "description",
      "prefixItems",
      "not",
      "default",
    );
    const bounds = { maxDepth: 6, depthIdentifier: fc.createDepthIdentifier() };
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        bounds,
        fc.constantFrom({ $ref: "#" }, { $ref: "#/properties/a" }, { type: "object" }, true, null, []),
        fc.dictionary(keyword, tie("value"), { maxKeys: 5 }),
      ),
      value: fc.oneof(
        bounds,
        fc.constantFrom("object", "array", "string", "a", 1, null),
        tie("schema"),
        fc.dictionary(fc.constantFrom("a", "b", "a b"), tie("schema"), { maxKeys: 3 }),
        fc.array(tie("schema"), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(schema, (given) => {
        const made = toInputSchema(given);
        const problem = "problem" in made ? made.problem : undefined;
        const refusal = "schema" in made ? refusedSchema(made.schema) : undefined;
        expect([problem ?? "its", refusal]).toEqual([
          expect.stringMatching(/^(?:its|one of its)/u),
          undefined,
        ]);
      }),
    );
  });
});
