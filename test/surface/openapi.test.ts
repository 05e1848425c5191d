import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sharedService } from "#test/support/shared-service.ts";
import { ALIASES } from "./aliases.ts";
import { addressOf } from "./estate.ts";
import { JsonSchema, operationsOf, readDocument, validatorOf, type Operation } from "./operations.ts";

const service = sharedService();
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

/** Their errors have OAuth's fields besides ours. */
const FOR_OAUTH_CLIENTS = new Set([
  "/api/auth/device/token",
  "/api/auth/connected-apps/requests",
  "/oauth/register",
  "/oauth/token",
  "/oauth/revoke",
]);

const OneOf = z.object({
  oneOf: z.array(z.object({ $ref: z.string() })).min(1),
  discriminator: z.object({ propertyName: z.literal("type"), mapping: z.record(z.string(), z.string()) }),
});

/** Whether a schema is a reference, a scalar, or a list of these. */
function isNamed({ $ref, type, items }: JsonSchema): boolean {
  if (type === "array") return isNamed(JsonSchema.parse(items));
  return $ref !== undefined || ["string", "number", "integer", "boolean", "null"].includes(String(type));
}

describe("the document", () => {
  it("refers to nothing that it does not hold", () => {
    const places = new Map(objectsIn(document));
    const refs = [...places.values()].flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
    expect(refs.length).toBeGreaterThan(0);
    expect(refs.filter((ref) => !places.has(ref))).toEqual([]);
  });

  it("names every operation once, in words", () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)*\d?$/u.test(id))).toEqual([]);
  });

  it("marks every alias with its original, and hides it from the reference", () => {
    const originals = new Set(operations.filter(({ isAlias }) => !isAlias).map(({ name }) => name));
    const aliases = operations.filter(({ isAlias }) => isAlias);
    expect(aliases.length).toBeGreaterThan(0);
    for (const alias of aliases) {
      expect(originals).toContain(`${alias.method} ${alias["x-alias-of"]}`);
      expect(alias).toMatchObject({
        "x-internal": true,
        description: expect.stringMatching(/^Same as `/u),
        operationId: expect.stringMatching(/Alias\d?$/u),
      });
    }
    expect(operations.filter((each) => each["x-internal"] && !each.isAlias)).toEqual([]);
  });

  it("has every other name that existing clients use", () => {
    const aliases = operations.filter(({ isAlias }) => isAlias);
    expect(aliases.map(({ name }) => name).toSorted()).toEqual(ALIASES.toSorted());
    const sockets = Object.entries(document["x-websockets"]);
    expect(Object.fromEntries(sockets.map(([path, socket]) => [path, socket["x-aliases"]]))).toMatchObject({
      "/ws/{chat}": ["/api/ws/{chat}"],
      "/ws/chat/{project}": ["/api/ws/chat/{project}"],
      "/api/gateway/cli": ["/ws/gateway/cli"],
    });
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

  it("declares `Idempotency-Key` and `Last-Event-ID` where they are read, with their limits", () => {
    const withHeader = (header: string) =>
      operations
        .filter(({ isAlias, parameters }) => !isAlias && parameters.some((each) => each.name === header))
        .map(({ operationId }) => operationId)
        .toSorted();
    expect(withHeader("Idempotency-Key")).toEqual([
      "createDeployment",
      "deployAllContainers",
      "deployContainer",
      "deployProject",
      "invokeAgent",
      "redeploy",
      "sendChatMessage",
      "streamChatEvents",
      "streamChatText",
    ]);
    expect(withHeader("Last-Event-ID")).toEqual([
      "resumeChatEvents",
      "streamDeployment",
      "streamProjectChats",
      "streamTaskEvents",
    ]);
    const headers = operations.flatMap(({ parameters }) => parameters.filter((each) => each.in === "header"));
    for (const { required, schema } of headers) {
      expect(required).toBe(false);
      expect(schema).toHaveProperty(["pattern", "maxLength"].find((name) => name in schema) ?? "pattern");
    }
  });

  it("leaves no route to read such a header without a declaration", () => {
    const routes = globSync("src/routes/**/*.ts", { exclude: ["src/routes/sockets/**"] });
    expect(routes.length).toBeGreaterThan(200);
    const reading = /(headers\.get|\bheader)\(\s*"(idempotency-key|last-event-id)"/iu;
    expect(routes.filter((route) => reading.test(readFileSync(route, "utf8")))).toEqual([]);
  });

  it("leaves no pattern or colon of the router in a path", () => {
    const plain = /^(\/|(\/(\{\w+\}|[\w.-]+))+)$/u;
    expect(Object.keys(document.paths).filter((path) => !plain.test(path))).toEqual([]);
  });

  it("asks only for credentials that it describes", () => {
    const named = operations.flatMap(({ security }) => security.flatMap((each) => Object.keys(each)));
    expect(new Set(named)).toEqual(new Set(Object.keys(document.components.securitySchemes)));
  });

  it("has schemas that can be read", () => {
    const schemas = Object.values(document.components.schemas);
    expect(schemas.length).toBeGreaterThan(0);
    const properties = Object.fromEntries(schemas.entries());
    expect(() => validatorOf(document, { type: "object", properties })).not.toThrow();
  });

  it("says what a refusal looks like", () => {
    const schema = { $ref: "#/components/schemas/Error" };
    const oAuth = { $ref: "#/components/schemas/OAuthError" };
    const openAi = { $ref: "#/components/schemas/OpenAiError" };
    const expectedOf = (template: string) => {
      if (FOR_OPENAI_CLIENTS.has(template)) return openAi;
      return FOR_OAUTH_CLIENTS.has(template) ? oAuth : schema;
    };
    for (const { template, responses } of operations) {
      const refusals = Object.entries(responses).filter(([status]) => status.startsWith("4"));
      for (const [, { content }] of refusals) {
        expect(content).toEqual({ "application/json": { schema: expectedOf(template) } });
      }
    }
    expect(validatorOf(document, openAi).safeParse({ detail: "why" }).success).toBe(false);
    expect(validatorOf(document, schema).safeParse({ detail: "why" }).success).toBe(true);
    expect(validatorOf(document, schema).safeParse({ error: "why" }).success).toBe(false);
  });

  it("has titles of two to six words, and one tag for each operation, all of which are explained", () => {
    const titles = [...operations, ...Object.values(document["x-websockets"])].map(({ summary }) => summary);
    expect(titles.filter((title) => !/^[A-Z]\S*( \S+){1,5}$/u.test(title))).toEqual([]);
    const known = document.tags.map(({ name }) => name);
    expect(new Set(known).size).toBe(known.length);
    expect(document["x-tagGroups"].flatMap(({ tags }) => tags)).toEqual(known);
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(known));
  });

  it("names every object that is answered or sent, so that generated clients have a type for it", () => {
    const bodies = operations.flatMap(({ name, requestBody, responses }) => [
      ...Object.values(requestBody?.content ?? {}).map(({ schema }) => ({ name, schema })),
      ...Object.values(responses).flatMap(({ content }) =>
        Object.values(content).map(({ schema }) => ({ name, schema })),
      ),
    ]);
    expect(bodies.length).toBeGreaterThan(1_000);
    expect(bodies.filter(({ schema }) => !isNamed(schema))).toEqual([]);
  });

  it("gives a name to every event and frame, and says how they are told apart", () => {
    const { schemas } = document.components;
    const streams = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) => content["text/event-stream"]?.schema ?? []),
    );
    const frames = Object.values(document["x-websockets"]).flatMap((socket) => [
      socket["x-client-frames"],
      socket["x-server-frames"],
    ]);
    expect(streams.length).toBeGreaterThan(0);
    expect(frames.length).toBeGreaterThan(0);
    for (const schema of [...streams, ...frames].map((each) => JsonSchema.parse(each)))
      expect(schema["$ref"]).toMatch(/^#\/components\/schemas\/\w+$/u);
    for (const name of [
      "TaskEvent",
      "ChatEvent",
      "DeploymentEvent",
      "SimpleChatFrame",
      "TerminalServerFrame",
    ]) {
      const { oneOf, discriminator } = OneOf.parse(schemas[name]);
      expect(Object.values(discriminator.mapping).toSorted()).toEqual(
        oneOf.map(({ $ref }) => $ref).toSorted(),
      );
    }
  });

  it("names the address that the service has", () => {
    expect(document.servers).toEqual([{ url: service.url }]);
  });
});

it("every guarded operation documents its refusals", () => {
  const missing = operations.flatMap(
    ({ name, isPublic, pathParameters, requestBody, parameters, responses }) => {
      const expected = [
        "401",
        "403",
        "429",
        ...(pathParameters.length > 0 ? ["404"] : []),
        ...(requestBody ? ["400", "413", "422"] : []),
        ...(parameters.some((each) => each.in === "query") ? ["422"] : []),
      ];
      return isPublic ? [] : expected.filter((each) => !(each in responses)).map((each) => `${name} ${each}`);
    },
  );
  expect(missing).toEqual([]);
});

it("every other name of an operation is answered as the operation itself", async () => {
  const aliases = operations.filter(({ isAlias }) => isAlias);
  expect(aliases.length).toBeGreaterThan(10);
  // The document took seconds to read: the service has closed the kept connection, on which a POST would fail.
  await service.call("GET", "/health");
  for (const alias of aliases) {
    const original = operations.find(
      ({ method, template }) => method === alias.method && template === alias["x-alias-of"],
    );
    const samples = Object.fromEntries(alias.pathParameters.map((name) => [name, "x"]));
    const answerAt = async (operation: Operation) => {
      const address = addressOf(operation, { ...samples, provider: "github" });
      const { status, body } = await service.call(operation.method, address);
      return [alias.name, status, z.looseObject({ detail: z.string() }).safeParse(body).data?.detail];
    };
    expect(await answerAt(alias)).toEqual(await answerAt(original ?? alias));
  }
});
