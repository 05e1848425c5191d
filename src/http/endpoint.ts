import { zValidator } from "@hono/zod-validator";
import type { Context, Hono, MiddlewareHandler, ValidationTargets } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { Client } from "#src/lib/client.ts";
import { fieldName } from "#src/lib/field-name.ts";
import type { Services } from "#src/services.ts";
import { acceptedBody } from "./accepted-body.ts";
import { guard, type Access, type CallerOf } from "./access.ts";
import { clientOf } from "./client.ts";
import type { AppEnv } from "./context.ts";
import { noteActivity } from "./middleware/note-activity.ts";
import { wellFormedPath } from "./middleware/well-formed-path.ts";
import type { Tag } from "./tags.ts";

export type BodyType = "json" | "form";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** Default limit of a request body, in bytes. */
const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** Most bytes of an oversized body that are read and discarded. */
const MAX_IGNORED_BYTES = 64 * 1024 * 1024;

type Input<S> = S extends z.ZodType ? z.input<S> : undefined;
type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What the guard and the validators pass to a handler. */
interface Admitted<A, P, Q, B, H> {
  caller: CallerOf<A>;
  params: Output<P>;
  query: Output<Q>;
  body: Output<B>;
  headers: Output<H>;
}

/** A handler's argument: validated input and the caller. */
export interface Call<A, P, Q, B, H = undefined> extends Admitted<A, P, Q, B, H> {
  services: Services;
  /** The request itself, for streams, its credentials and the client's disconnect. */
  request: Request;
  requestId: string;
  /** The client's address and user agent, for records of sessions. */
  client: Client;
  /** Keeps the work running after the response has ended or the client has left. */
  waitUntil: (work: Promise<unknown>) => void;
}

/** Headers by name; `Set-Cookie` may come more than once. */
type ReplyHeaders = Readonly<Record<string, string | string[]>>;

/** A response with its own headers or status; a plain value has the endpoint's declared status. */
export class Reply<T> {
  readonly body: T;
  readonly headers: ReplyHeaders;

  constructor(body: T, headers: ReplyHeaders) {
    this.body = body;
    this.headers = headers;
  }
}

type Refusal = 400 | 401 | 402 | 403 | 404 | 409 | 410 | 412 | 413 | 429 | 501 | 502 | 503;

interface SuccessAnswer<R extends z.ZodType> {
  /** 204 and 303 have no body. */
  status: 200 | 201 | 202 | 204 | 303;
  /** Alternative status of the same body, for a failure or for work in progress. */
  orStatus?: 202 | 503;
  schema: R;
  /** For a stream: when it responds with 204, because no more events will come. */
  nothingMore?: string;
  description?: string;
  mediaType?: string;
  /** For a stream of Server-Sent Events: the schema of an event's `data`, as JSON. */
  event?: z.ZodType;
  /** The same for an endpoint that streams only on request. */
  streamed?: z.ZodType;
}

interface Definition<A extends Access, P, Q, B, H, R extends z.ZodType> {
  /** Unique name in camelCase, a verb first. Generated clients have methods of these names: do not change them. */
  operationId: string;
  method: Method;
  /** Hono path, e.g. `/api/projects/:project`. A trailing slash is accepted on every path. */
  path: string;
  /** Further paths of the same endpoint that existing clients use. */
  aliases?: readonly string[];
  /** Title in the API reference, two to six words. */
  summary: string;
  /** Further information for clients. */
  description?: string;
  /** Heading in the API reference. */
  tag: Tag;
  access: A;
  /**
   * The sender's signature over the body admits the request, and nothing that a browser adds. A page gains nothing from its
   * visitor's browser there, so requests from any origin are accepted.
   */
  signed?: A extends "public" ? true : never;
  /**
   * Whether a success is activity in the path's `:project`, which delays its hibernation. Changes of files and of the
   * repository record it themselves.
   */
  countsAsActivity?: boolean;
  /** The path names a file, so it must be well formed. */
  namesFile?: boolean;
  params?: P;
  query?: Q;
  body?: B;
  /** A body for the API reference, which tests send. Required with a body. */
  example?: Input<NoInfer<B>>;
  /** Headers that the handler reads, by the names that the API reference shows. */
  headers?: H;
  /** Accepted content types; JSON by default. */
  bodyTypes?: readonly BodyType[];
  /** Largest body in bytes; `null` for endpoints that stream the body and limit it themselves. */
  bodyLimit?: number | null;
  /** The success response. The handler's result is parsed by this schema, so no undeclared field leaks. */
  response: SuccessAnswer<R>;
  /** Error format for clients of another API. */
  errorStyle?: "openai" | "oauth";
  /** Further refusals for the API reference, besides those implied by access and schemas. */
  refusals?: readonly Refusal[];
  handler: (call: Call<A, P, Q, B, H>) => Promise<z.input<R> | Reply<z.input<R>> | Response>;
}

/** One row of the table of endpoints, from which the OpenAPI document and the access tests are generated. */
export interface Endpoint {
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly description: string | undefined;
  readonly tag: Tag;
  readonly access: Access;
  readonly countsAsActivity: boolean | undefined;
  readonly schemas: { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType; headers?: z.ZodType };
  readonly example: unknown;
  readonly bodyTypes: readonly BodyType[];
  readonly response: Readonly<SuccessAnswer<z.ZodType>>;
  readonly refusals: readonly Refusal[];
  readonly errorStyle: "openai" | "oauth" | undefined;
  mount(app: Hono<AppEnv>): void;
}

/**
 * Combines contract, access and handler. The guard is the route's own middleware, so no mismatch of path patterns can
 * bypass it.
 */
export function endpoint<
  A extends Access,
  R extends z.ZodType,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
>(definition: Definition<A, P, Q, B, H, R>): Endpoint {
  const { method, path, access, response, handler } = definition;
  const aliases = definition.aliases ?? [];
  const bodyTypes = definition.bodyTypes ?? ["json"];
  const schemas = {
    ...(definition.params && { params: definition.params }),
    ...(definition.query && { query: definition.query }),
    ...(definition.body && { body: definition.body }),
    ...(definition.headers && { headers: definition.headers }),
  };

  const { errorStyle } = definition;
  const middleware: MiddlewareHandler<AppEnv>[] = [guard(access, definition)];
  if (definition.namesFile) middleware.unshift(wellFormedPath);
  if (definition.countsAsActivity) middleware.unshift(noteActivity);
  if (errorStyle) {
    middleware.unshift(async (c, next) => {
      c.set("errorStyle", errorStyle);
      await next();
    });
  }
  const limit = definition.bodyLimit === undefined ? DEFAULT_BODY_LIMIT : definition.bodyLimit;
  if (limit !== null && method !== "get") middleware.push(limitBody(limit));
  if (definition.params) middleware.push(zValidator("param", definition.params, refuse));
  if (definition.query) middleware.push(zValidator("query", definition.query, refuse));
  if (definition.headers) middleware.push(validateHeaders(definition.headers));
  if (definition.body) middleware.push(validateBody(acceptedBody(method, definition.body), bodyTypes));

  const answer = async (c: Context<AppEnv>) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Hono types what is valid per route, not per table row.
    const admitted = inputOf(c) as Admitted<A, P, Q, B, H>;
    const result = await handler({
      ...admitted,
      services: c.get("services"),
      request: c.req.raw,
      requestId: c.get("requestId"),
      client: clientOf(c),
      waitUntil: (work) => c.executionCtx.waitUntil(work),
    });
    if (result instanceof Response) return result;
    const { body, headers } = result instanceof Reply ? result : { body: result, headers: {} };
    const { status } = response;
    if (isBodiless(status)) return c.body(null, status, { ...headers });
    const json = JSON.stringify(response.schema.parse(body));
    return c.body(json, status, { "Content-Type": "application/json", ...headers });
  };

  return {
    operationId: definition.operationId,
    method,
    path,
    aliases,
    summary: definition.summary,
    description: definition.description,
    tag: definition.tag,
    access,
    countsAsActivity: definition.countsAsActivity,
    schemas,
    example: definition.example,
    bodyTypes,
    response,
    refusals: definition.refusals ?? [],
    errorStyle,
    mount(app) {
      for (const each of [path, ...aliases]) app.on(method.toUpperCase(), [each], ...middleware, answer);
    },
  };
}

/** Whether a response with this status has no body. */
export function isBodiless(status: number): status is 204 | 303 {
  return status === 204 || status === 303;
}

/** Input that middleware has validated with the endpoint's own schemas. */
function inputOf({ req, get }: Context<AppEnv>): unknown {
  const valid = (target: keyof ValidationTargets): unknown =>
    Reflect.apply(Reflect.get(req, "valid"), req, [target]);
  return {
    caller: get("caller"),
    params: valid("param"),
    query: valid("query"),
    body: valid("json"),
    headers: valid("header"),
  };
}

function limitBody(maxSize: number): MiddlewareHandler<AppEnv> {
  return bodyLimit({
    maxSize,
    onError: async (c) => {
      await readToItsEnd(c.req.raw);
      throw new AppError("too_large", `Request body is larger than ${maxSize} bytes`);
    },
  });
}

/**
 * Reads the rest of the body first: a client that is still sending may not see an early response before its connection
 * breaks.
 */
async function readToItsEnd({ headers, body }: Request): Promise<void> {
  const length = headers.get("content-length");
  // A body without a stated length was already being read when it exceeded the limit.
  if (!body || body.locked || length === null || Number(length) > MAX_IGNORED_BYTES) return;
  for await (const _ of body);
}

/** Only the headers that the schema names are read. Their names there have capitals, which Hono's validator drops. */
function validateHeaders(schema: z.ZodObject): MiddlewareHandler<AppEnv> {
  const names = Object.keys(schema.shape);
  return async (c, next) => {
    const parsed = schema.safeParse(Object.fromEntries(names.map((name) => [name, c.req.header(name)])));
    refuse(parsed);
    c.req.addValidatedData("header", parsed.data ?? {});
    return next();
  };
}

/** Bodies of all content types end up under the `json` target, so that handlers do not distinguish them. */
function validateBody(schema: z.ZodType, types: readonly BodyType[]): MiddlewareHandler<AppEnv> {
  const json: MiddlewareHandler = zValidator("json", schema, refuse);
  return async (c, next) => {
    const contentType = c.req.header("content-type") ?? "";
    if (JSON_TYPE.test(contentType)) return json(c, next);
    const isForm = FORM_TYPE.test(contentType) && types.includes("form");
    // A request without a body counts as `{}`, for schemas with only optional fields. Clients send a POST with
    // Content-Length 0, which the runtime treats as a body.
    const isEmpty = contentType === "" && (!c.req.raw.body || c.req.header("content-length") === "0");
    if (!isForm && !isEmpty) {
      const accepted = types.includes("form") ? "JSON or a form" : "JSON (Content-Type: application/json)";
      throw new AppError("invalid_body", `Send the request body as ${accepted}`);
    }
    const parsed = schema.safeParse(isForm ? await readForm(c) : {});
    refuse(parsed);
    c.req.addValidatedData("json", Object(parsed.data));
    return next();
  };
}

async function readForm(c: Context<AppEnv>): Promise<unknown> {
  try {
    return await c.req.parseBody();
  } catch (error) {
    throw new AppError("invalid_body", "The form is malformed", { cause: error });
  }
}

const JSON_TYPE = /^application\/([a-z.+-]+\+)?json\s*(;|$)/iu;
const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/iu;

/** Throws a failed validation as one sentence that names every field. */
function refuse(result: { success: boolean; error?: z.core.$ZodError | undefined }): void {
  if (result.success) return;
  const sentences = (result.error?.issues ?? []).map((issue) => {
    if (issue.code === "unrecognized_keys") {
      const named = issue.keys.slice(0, 10).map((key) => JSON.stringify(key.slice(0, 60)));
      return `These fields cannot be set here: ${named.join(", ")}`;
    }
    const problem = isMissing(issue) ? "is required" : issue.message;
    return issue.path.length > 0 ? `${fieldName(issue.path)}: ${problem}` : problem;
  });
  throw new AppError("invalid_body", sentences.slice(0, 10).join("; ") || "Invalid request");
}

/** Whether a field is missing, which the validator reports as a wrong type. */
function isMissing({ code, message }: z.core.$ZodIssue): boolean {
  return code === "invalid_type" && message.endsWith("received undefined");
}
