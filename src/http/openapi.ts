import { z } from "zod";
import type { Access } from "./access.ts";
import { isBodiless, type Endpoint } from "./endpoint.ts";
import { ErrorBody, OAuthErrorBody, OpenAiErrorBody } from "./errors.ts";
import { Components, type Json } from "./openapi-components.ts";
import { PARAMETER_EXAMPLES } from "./parameter-examples.ts";
import type { Socket } from "./socket.ts";
import { TAG_GROUPS } from "./tags.ts";

const ERRORS: Readonly<Record<string, string>> = {
  400: "The input is not valid",
  401: "No valid credentials",
  402: "The team has no credits left, or no place in its tier",
  403: "The credentials do not permit this",
  404: "Not found, or not visible to the caller",
  409: "Conflicts with the current state",
  410: "No longer available",
  412: "The file has changed, or is not there: `If-Match` and `If-None-Match` do not hold",
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
  connectedApp: {
    type: "http",
    scheme: "bearer",
    description: "Access token of a connected app, `tso_…`, which a client of MCP gets by OAuth",
  },
};

/** What another status of the success response says of its body. */
const OR_STATUS = {
  202: "The work goes on",
  503: "A part of the service does not respond; the body says what is to be done",
} as const;

/** Where the service is deployed, and the name of the cookie with the access token. */
interface Deployment {
  serverUrl: string;
  sessionCookie: string;
}

/**
 * Generates the OpenAPI 3.1 document from the tables and schemas that also route and validate. OpenAPI has no way to say what
 * goes over a WebSocket: sockets are in the extension `x-websockets`, by their paths.
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  sockets: readonly Socket[],
  { serverUrl, sessionCookie }: Deployment,
): Json {
  const paths: Record<string, Json> = {};
  const components = new Components();
  components.describe(ErrorBody, "output");
  components.describe(OpenAiErrorBody, "output");
  components.describe(OAuthErrorBody, "output");
  const pathItem = (path: string) => (paths[toTemplate(path)] ??= {});
  for (const endpoint of endpoints) {
    pathItem(endpoint.path)[endpoint.method] = operation(endpoint, endpoint.path, components);
    for (const [index, path] of endpoint.aliases.entries()) {
      pathItem(path)[endpoint.method] = {
        ...operation(endpoint, path, components),
        ...aliasOf(endpoint, index),
      };
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
    tags: TAG_GROUPS.flatMap(({ tags }): readonly object[] => tags),
    "x-tagGroups": TAG_GROUPS.map(({ name, tags }) => ({ name, tags: tags.map((tag) => tag.name) })),
    paths,
    "x-websockets": Object.fromEntries(sockets.map((each) => describeSocket(each, components))),
    components: {
      securitySchemes: { ...SECURITY, sessionCookie: { ...SECURITY.sessionCookie, name: sessionCookie } },
      schemas: components.schemas,
    },
  };
}

function operation(endpoint: Endpoint, path: string, components: Components): Json {
  const { schemas, response, access } = endpoint;
  const answer = {
    description: response.description ?? "Success",
    ...(!isBodiless(response.status) && { content: answerContent(endpoint, components) }),
  };
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    tags: [endpoint.tag],
    security: securityOf(access),
    parameters: [
      ...parameters("path", schemas.params, path, components),
      ...parameters("query", schemas.query, path, components),
      ...(schemas.headers ? parameters("header", schemas.headers, path, components) : []),
    ],
    ...(schemas.body && { requestBody: requestBody(endpoint, schemas.body, components) }),
    responses: {
      [response.status]: answer,
      ...(response.orStatus && {
        [response.orStatus]: { ...answer, description: OR_STATUS[response.orStatus] },
      }),
      ...(response.nothingMore && { 204: { description: response.nothingMore } }),
      ...errorResponses(endpoint),
    },
  };
}

/**
 * What distinguishes an alias from the original operation. Clients rely on aliases, so they are not deprecated, but
 * generated clients and the reference page leave them out: `x-internal` hides an operation from Scalar.
 */
function aliasOf({ operationId, path, description }: Endpoint, index: number): Json {
  const original = toTemplate(path);
  const same = `Same as \`${original}\`.`;
  return {
    operationId: `${operationId}Alias${index === 0 ? "" : index + 1}`,
    description: description === undefined ? same : `${same} ${description}`,
    "x-alias-of": original,
    "x-internal": true,
  };
}

/**
 * OpenAPI 3.1 cannot describe the items of a stream: the schema of `text/event-stream` is that of the `data` of each event,
 * once it is parsed as JSON.
 */
function answerContent({ operationId, response }: Endpoint, components: Components): Json {
  const { schema, mediaType = "application/json", event, streamed } = response;
  const events = event ?? streamed;
  const body =
    mediaType === "application/json"
      ? components.describeNamed(`${capitalised(operationId)}Answer`, schema, "output")
      : components.describe(schema, "output");
  return {
    ...(mediaType !== EVENT_STREAM && { [mediaType]: { schema: body } }),
    ...(events && {
      [EVENT_STREAM]: {
        schema: components.describeNamed(`${capitalised(operationId)}Event`, events, "input"),
      },
    }),
  };
}

const EVENT_STREAM = "text/event-stream";

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function describeSocket(
  { path, aliases = [], summary, description, frames }: Socket,
  components: Components,
) {
  return [
    toTemplate(path),
    {
      summary,
      description,
      ...(aliases.length > 0 && { "x-aliases": aliases.map(toTemplate) }),
      "x-client-frames": components.describe(frames.client, "input"),
      "x-server-frames": components.describe(frames.server, "input"),
    },
  ] as const;
}

function requestBody(
  { operationId, bodyTypes, example }: Endpoint,
  body: z.ZodType,
  components: Components,
): Json {
  const media: Record<string, string> = {
    json: "application/json",
    form: "application/x-www-form-urlencoded",
  };
  const schema = components.describeNamed(`${capitalised(operationId)}Body`, body, "input");
  return {
    required: !body.safeParse({}).success,
    content: Object.fromEntries(bodyTypes.map((type) => [media[type] ?? type, { schema, example }])),
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
  else if (schemas.query ?? schemas.headers) codes.push(400, 422);
  const names = { openai: "OpenAiError", oauth: "OAuthError" };
  const $ref = `#/components/schemas/${errorStyle ? names[errorStyle] : "Error"}`;
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
  if ("userOrKey" in access) {
    const { userOrKey, keyAlso } = access;
    return [...signedIn(), { apiKey: [userOrKey, ...(keyAlso ? [keyAlso] : [])] }];
  }
  if ("userOrKeyInRead" in access) return [...signedIn(), { apiKey: [access.userOrKeyInRead] }];
  if ("keyInStatement" in access) return [{ apiKey: [access.keyInStatement] }];
  const permission = "key" in access ? access.key : access.keyOfTask;
  const byApp = "connectedApps" in access && access.connectedApps;
  return [{ apiKey: permission === "any" ? [] : [permission] }, ...(byApp ? [{ connectedApp: [] }] : [])];
}

const Properties = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

function parameters(
  where: "path" | "query" | "header",
  schema: z.ZodType | undefined,
  path: string,
  components: Components,
): Json[] {
  const named = where === "path" ? pathParameters(path) : undefined;
  if (!schema)
    return (named ?? []).map((name) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
      ...exampleOf(name, {}),
    }));
  const { properties, required } = Properties.parse(components.describe(schema, "input"));
  return Object.entries(properties)
    .filter(([name]) => !named || named.includes(name))
    .map(([name, { description, ...rest }]) => ({
      name,
      in: where,
      required: where === "path" || required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
      ...exampleOf(name, rest),
    }));
}

/** An example of a parameter: what its schema says, or one by its name. None where a parameter is better left out. */
function exampleOf(name: string, schema: Json): Json {
  const { enum: values, default: usual } = schema;
  const example = Array.isArray(values) ? values[0] : (PARAMETER_EXAMPLES[name] ?? usual);
  return example === undefined ? {} : { example };
}

function pathParameters(path: string): string[] {
  return Array.from(path.matchAll(/:(\w+)/gu), ([, name]) => name ?? "");
}

/** Hono writes `:name` and `:name{pattern}`, OpenAPI `{name}`. */
function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)(\{[^}]*\})?/gu, "{$1}");
}
