import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService } from "#test/support/service.ts";
import { addressOf, newEstate, smallestBody, type Estate } from "./estate.ts";
import { bodySchemaOf, operationsOf, readDocument, validatorOf, type Operation } from "./operations.ts";

// Started while the tests are collected: every documented operation is a test.
const service = await startService();
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
    for (const { name, pathParameters, parameters } of operations) {
      const declared = parameters.filter((each) => each.in === "path");
      expect(declared.map((each) => each.name).toSorted(), name).toEqual(pathParameters.toSorted());
      expect(
        declared.every(({ required }) => required),
        name,
      ).toBe(true);
    }
  });

  it("leaves no pattern or colon of the router in a path", () => {
    expect(Object.keys(document.paths).filter((path) => !/^(\/(\{\w+\}|[\w.-]+))+$/u.test(path))).toEqual([]);
  });

  it("asks only for credentials that it describes", () => {
    const named = operations.flatMap(({ security }) => security.flatMap((each) => Object.keys(each)));
    expect(new Set(named)).toEqual(new Set(Object.keys(document.components.securitySchemes)));
  });

  it("has schemas that can be read", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(() => validatorOf(document, schema), name).not.toThrow();
    }
  });

  it("says what a refusal looks like", () => {
    const refusals = operations.flatMap(({ name, responses }) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith("4"))
        .map(([status, { content }]) => ({ name, status, content })),
    );
    const schema = { $ref: "#/components/schemas/Error" };
    for (const { name, status, content } of refusals) {
      expect(content, `${name} ${status}`).toEqual({ "application/json": { schema } });
    }
    expect(validatorOf(document, schema).safeParse({ detail: "why" }).success).toBe(true);
    expect(validatorOf(document, schema).safeParse({ error: "why" }).success).toBe(false);
  });

  it("names the address that the service has", () => {
    expect(document.servers).toEqual([{ url: service.url }]);
  });
});

describe("every guarded operation", () => {
  it.each(operations.filter(({ isPublic }) => !isPublic))("documents its refusals: $name", (operation) => {
    const named = Object.keys(operation.responses);
    expect(named).toEqual(expect.arrayContaining(["401", "403", "429"]));
    if (operation.pathParameters.length > 0) expect(named).toContain("404");
    if (operation.requestBody) expect(named).toEqual(expect.arrayContaining(["400", "413", "422"]));
    if (operation.parameters.some((each) => each.in === "query")) expect(named).toContain("422");
  });
});

/** What a body or header must hold for operations whose schema alone does not tell. */
const SPECIAL: Record<string, (estate: Estate, cookie: string) => Record<string, unknown>> = {
  "POST /api/auth/register": () => ({
    json: { email: `${crypto.randomUUID()}@example.com`, password: "correct horse" },
  }),
  "POST /api/auth/login": ({ owner }) => ({ json: owner }),
  "POST /api/auth/jwt/login": ({ owner }) => ({ form: { username: owner.email, password: owner.password } }),
  "POST /api/auth/refresh": (_, cookie) => ({ headers: { cookie } }),
};

describe("the answer of", () => {
  let owner: Estate["owner"];
  beforeAll(async () => {
    owner = await service.signUp();
  });

  async function call(operation: Operation) {
    const estate = await newEstate(service, owner);
    const login = await service.call("POST", "/api/auth/login", { json: owner });
    const schema = bodySchemaOf(document, operation);
    const special = SPECIAL[operation.name]?.(estate, login.headers.getSetCookie()[0] ?? "");
    const json = schema && smallestBody(document, schema, estate.samples);
    const answer = await service.call(operation.method, addressOf(operation, estate.samples), {
      token: operation.person || operation.isPublic ? owner.token : estate.key,
      ...(special ?? (json && { json })),
    });
    await service.call("DELETE", `/api/external-api-keys/${String(estate.samples["key"])}`, {
      token: owner.token,
    });
    return answer;
  }

  it.each(operations.filter(({ isAlias }) => !isAlias))("$name is the documented one", async (operation) => {
    const { status, headers, text, body } = await call(operation);
    const documented = operation.responses[status];
    expect(status < 300 && documented !== undefined, `${status}: ${text.slice(0, 500)}`).toBe(true);
    const [mediaType, media] = Object.entries(documented?.content ?? {})[0] ?? [];
    if (mediaType === undefined || !media) {
      expect([text, headers.get("content-type")]).toEqual(["", null]);
      return;
    }
    expect(headers.get("content-type")).toMatch(new RegExp(`^${mediaType.replace("/", "\\/")}(;|$)`, "u"));
    expect(validatorOf(document, media.schema).safeParse(body).error?.issues).toBeUndefined();
  });
});

describe("another name of an operation", () => {
  it.each(operations.filter(({ isAlias }) => isAlias))("is served: $name", async (operation) => {
    const samples = { project: "p", task: "t", key: "k" };
    const { status, body } = await service.call(operation.method, addressOf(operation, samples));
    expect([status, body]).not.toEqual([404, { detail: "Not Found" }]);
    expect(status).not.toBe(405);
  });
});
