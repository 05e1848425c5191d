import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Access } from "./access.ts";
import { isBodiless, type Endpoint } from "./endpoint.ts";
import { ErrorBody, OpenAiErrorBody } from "./errors.ts";

type Json = Record<string, unknown>;

const ERRORS: Readonly<Record<string, string>> = {
  400: "The input is not valid",
  401: "No valid credentials",
  402: "The team has no credits left, or no place in its tier",
  403: "The credentials do not permit this",
  404: "Not found, or not visible to the caller",
  409: "Conflicts with the current state",
  410: "No longer available",
  413: "The body is too large",
  422: "The request failed validation",
  429: "Rate limit exceeded, or too many agents at work; `Retry-After` says when to retry",
  501: "The installation is not configured for this",
  502: "An upstream provider failed",
  503: "A service that the request needs does not respond, or is not configured",
};

const SECURITY = {
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "Access token of a person",
  },
  sessionCookie: {
    type: "apiKey",
    in: "cookie",
    description:
      "The same token as a cookie. Requests that change data need `X-CSRF-Token` (see `GET /api/auth/csrf`)",
  },
  apiKey: { type: "http", scheme: "bearer", description: "External API key, `tsk_…`" },
};

/** Where the service is deployed, and the name of the cookie with the access token. */
interface Deployment {
  serverUrl: string;
  sessionCookie: string;
}

/** Generates the OpenAPI 3.1 document from the table and schemas that also route and validate. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  { serverUrl, sessionCookie }: Deployment,
): Json {
  const paths: Record<string, Json> = {};
  const components: Json = {};
  const describe = describeInto(components);
  describe(ErrorBody, "output");
  describe(OpenAiErrorBody, "output");
  for (const endpoint of endpoints) {
    for (const path of [endpoint.path, ...endpoint.aliases]) {
      const item = (paths[toTemplate(path)] ??= {});
      item[endpoint.method] = operation(endpoint, path, describe);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Agent Workspace Service",
      version: "1",
      description: "Host code workspaces and have an AI agent work on them.",
    },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      securitySchemes: { ...SECURITY, sessionCookie: { ...SECURITY.sessionCookie, name: sessionCookie } },
      schemas: components,
    },
  };
}

function operation(endpoint: Endpoint, path: string, describe: Describe): Json {
  const { method, schemas, response, access } = endpoint;
  const answer = {
    description: response.description ?? "Success",
    ...(!isBodiless(response.status) && {
      content: {
        [response.mediaType ?? "application/json"]: { schema: describe(response.schema, "output") },
        ...(response.streamed && { "text/event-stream": { schema: describe(response.streamed, "output") } }),
      },
    }),
  };
  return {
    operationId: operationId(method, path),
    summary: endpoint.summary,
    ...descriptionOf(endpoint, path),
    tags: [endpoint.tag],
    security: securityOf(access),
    parameters: [
      ...parameters("path", schemas.params, path, describe),
      ...parameters("query", schemas.query, path, describe),
    ],
    ...(schemas.body && { requestBody: requestBody(endpoint, schemas.body, describe) }),
    responses: {
      [response.status]: answer,
      ...(response.orStatus && { [response.orStatus]: answer }),
      ...(response.nothingMore && { 204: { description: response.nothingMore } }),
      ...errorResponses(endpoint),
    },
  };
}

/** The endpoint's description; that of an alias also names the original endpoint. */
function descriptionOf({ path, description }: Endpoint, asked: string): Json {
  const alias = asked === path ? [] : [`Same as \`${toTemplate(path)}\`.`];
  const sentences = [...alias, ...(description === undefined ? [] : [description])];
  return sentences.length === 0 ? {} : { description: sentences.join(" ") };
}

function requestBody({ bodyTypes }: Endpoint, body: z.ZodType, describe: Describe): Json {
  const media: Record<string, string> = {
    json: "application/json",
    form: "application/x-www-form-urlencoded",
  };
  const schema = describe(body, "input");
  return {
    required: !body.safeParse({}).success,
    content: Object.fromEntries(bodyTypes.map((type) => [media[type] ?? type, { schema }])),
  };
}

/** Errors implied by access and schemas, and the endpoint's own refusals. */
function errorResponses({ method, access, schemas, refusals, errorStyle }: Endpoint): Json {
  const codes: number[] = [...refusals];
  // Requests of another origin's pages that change data are refused, whether authenticated or not.
  if (method !== "get") codes.push(403);
  if (access === "visitors") codes.push(429);
  else if (access !== "public") codes.push(401, 403, 404, 429);
  if (schemas.body) codes.push(400, 413, 422);
  else if (schemas.query) codes.push(400, 422);
  const $ref = `#/components/schemas/${errorStyle === "openai" ? "OpenAiError" : "Error"}`;
  const content = { "application/json": { schema: { $ref } } };
  return Object.fromEntries(codes.map((code) => [code, { description: ERRORS[code], content }]));
}

const signedIn = (...permissions: string[]): Json[] => [
  { accessToken: permissions },
  { sessionCookie: permissions },
];

/**
 * The security requirement of an endpoint. Its roles are the permissions that a key, or a member's role in the team,
 * must grant; or `superuser`.
 */
function securityOf(access: Access): Json[] {
  if (access === "public" || access === "visitors") return [];
  if ("user" in access) return access.user === "superuser" ? signedIn("superuser") : signedIn();
  if ("member" in access) return signedIn(access.member);
  if ("userOrKey" in access) return [...signedIn(), { apiKey: [access.userOrKey] }];
  const permission = "key" in access ? access.key : access.keyOfTask;
  return [{ apiKey: permission === "any" ? [] : [permission] }];
}

const Properties = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

function parameters(
  where: "path" | "query",
  schema: z.ZodType | undefined,
  path: string,
  describe: Describe,
): Json[] {
  const named = where === "path" ? pathParameters(path) : undefined;
  if (!schema)
    return (named ?? []).map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const { properties, required } = Properties.parse(describe(schema, "input"));
  return Object.entries(properties)
    .filter(([name]) => !named || named.includes(name))
    .map(([name, { description, ...rest }]) => ({
      name,
      in: where,
      required: where === "path" || required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    }));
}

function pathParameters(path: string): string[] {
  return Array.from(path.matchAll(/:(\w+)/gu), ([, name]) => name ?? "");
}

/** Hono writes `:name` and `:name{pattern}`, OpenAPI `{name}`. */
function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)(\{[^}]*\})?/gu, "{$1}");
}

function operationId(method: string, path: string): string {
  const words = path.split(/[^\w]+/u).filter((word) => word !== "");
  return [method, ...words].join("_");
}

type Describe = (schema: z.ZodType, io: "input" | "output") => Json;

/** Converts schemas to JSON schemas, and moves those with an id to `components`. */
function describeInto(components: Json): Describe {
  return (schema, io) => {
    const described = z.toJSONSchema(schema, { io, target: "draft-2020-12", unrepresentable: "any" });
    const { $schema: _, $defs = {}, ...rest } = relink(described);
    Object.assign(components, $defs);
    return rest;
  };
}

/** Rewrites each `$ref`, which is relative to the root of the document and not of the schema. */
function relink(schema: object): Json {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === "$ref" && typeof value === "string"
      ? value.replace(/^#\/\$defs\//u, "#/components/schemas/")
      : value,
  );
  return parseJson(text, z.record(z.string(), z.unknown()));
}
