import { afterAll, describe, expect, it } from "vitest";
import { startService } from "#test/support/service.ts";
import { addressOf } from "./estate.ts";
import { operationsOf, readDocument, validatorOf } from "./operations.ts";

// Started while the tests are collected: every documented operation is a test.
const service = await startService({ GITHUB_CLIENT_ID: "id", GITHUB_CLIENT_SECRET: "secret" });
afterAll(() => service.close());
const document = await readDocument(service);
const operations = operationsOf(document);

/** Every object of the document, with the place where it stands. */
function* objectsIn(
  value: unknown,
  place = "#",
): Generator<[place: string, object: Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  yield [place, Object.fromEntries(Object.entries(value))];
  for (const [name, child] of Object.entries(value)) yield* objectsIn(child, `${place}/${name}`);
}

/** Their errors have OpenAI's fields besides ours. */
const FOR_OPENAI_CLIENTS = new Set([
  "/api/v1/chat/completions",
  "/api/v1/models",
  "/api/v1/models/{platform_model}",
  "/api/v1/usage",
]);

describe("the document", () => {
  it("refers to nothing that it does not hold", () => {
    const places = new Map(objectsIn(document));
    const refs = [...places.values()].flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
    expect(refs.length).toBeGreaterThan(0);
    expect(refs.filter((ref) => !places.has(ref))).toEqual([]);
  });

  it("names every operation once", () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z][\w]*$/u.test(id))).toEqual([]);
  });

  it("declares exactly the parameters of each path, as required ones", () => {
    const declared = operations.map(({ name, parameters }) => [
      name,
      parameters
        .filter((each) => each.in === "path" && each.required)
        .map((each) => each.name)
        .toSorted(),
    ]);
    expect(declared).toEqual(operations.map(({ name, pathParameters }) => [name, pathParameters.toSorted()]));
  });

  it("leaves no pattern or colon of the router in a path", () => {
    expect(
      Object.keys(document.paths).filter((path) => !/^(\/|(\/(\{\w+\}|[\w.-]+))+)$/u.test(path)),
    ).toEqual([]);
  });

  it("asks only for credentials that it describes", () => {
    const named = operations.flatMap(({ security }) => security.flatMap((each) => Object.keys(each)));
    expect(new Set(named)).toEqual(new Set(Object.keys(document.components.securitySchemes)));
  });

  it("has schemas that can be read", () => {
    const schemas = Object.values(document.components.schemas);
    expect(schemas.length).toBeGreaterThan(0);
    for (const schema of schemas) expect(() => validatorOf(document, schema)).not.toThrow();
  });

  it("says what a refusal looks like", () => {
    const schema = { $ref: "#/components/schemas/Error" };
    const openAi = { $ref: "#/components/schemas/OpenAiError" };
    const refusals = operations.flatMap(({ template, responses }) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith("4"))
        .map(([, { content }]) => ({
          content,
          expected: FOR_OPENAI_CLIENTS.has(template) ? openAi : schema,
        })),
    );
    for (const { content, expected } of refusals) {
      expect(content).toEqual({ "application/json": { schema: expected } });
    }
    expect(validatorOf(document, openAi).safeParse({ detail: "why" }).success).toBe(false);
    expect(validatorOf(document, schema).safeParse({ detail: "why" }).success).toBe(true);
    expect(validatorOf(document, schema).safeParse({ error: "why" }).success).toBe(false);
  });

  it("names the address that the service has", () => {
    expect(document.servers).toEqual([{ url: service.url }]);
  });
});

describe("every guarded operation", () => {
  it.each(operations.filter(({ isPublic }) => !isPublic))("documents its refusals: $name", (operation) => {
    const { pathParameters, requestBody, parameters, responses } = operation;
    const expected = [
      "401",
      "403",
      "429",
      ...(pathParameters.length > 0 ? ["404"] : []),
      ...(requestBody ? ["400", "413", "422"] : []),
      ...(parameters.some((each) => each.in === "query") ? ["422"] : []),
    ];
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(expected));
  });
});

describe("another name of an operation", () => {
  it.each(operations.filter(({ isAlias }) => isAlias))("is served: $name", async (operation) => {
    const samples = Object.fromEntries(operation.pathParameters.map((name) => [name, "x"]));
    const answer = await service.call(
      operation.method,
      addressOf(operation, { ...samples, provider: "github" }),
    );
    const { status, body } = answer;
    expect([status, body]).not.toEqual([404, { detail: "Not Found" }]);
    expect(status).not.toBe(405);
  });
});
