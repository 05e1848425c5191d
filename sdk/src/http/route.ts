import type { Keyed, Routes } from "../generated/routes.gen.ts";
import type { RawBody } from "./body.ts";

export type RouteName = keyof Routes;
/** The body that a route takes, without the possibility of none. */
export type Body<K extends RouteName> = NonNullable<Routes[K]["body"]>;
export type Query<K extends RouteName> = NonNullable<Routes[K]["query"]>;
/** The body of a route's answer. */
export type Answer<K extends RouteName> = Routes[K]["answer"];
/** The paths of a method, with their parameters in braces. */
export type PathOf<M extends string> = RouteName extends infer K
  ? K extends `${M} ${infer P}`
    ? P
    : never
  : never;
export type RouteOf<M extends string, P extends string> = Extract<`${M} ${P}`, RouteName>;

/** What every call takes. */
export interface CallOptions {
  /** Ends the call. It then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the call, all its attempts included. */
  timeoutMs?: number | undefined;
  /** Further headers. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Called with what the answer has beside its body, before that is read: `X-Next-Cursor`, `X-Total-Count`, limits. */
  onResponse?: ((response: Pick<Response, "status" | "headers">) => void) | undefined;
}

/** What a request to a path takes that this client does not know. */
export interface RequestOptions extends CallOptions {
  /** Values for the parameters of the path, `{name}`. */
  path?: object | undefined;
  /** Query parameters. A list is repeated under its name; `undefined` and `null` are left out. */
  query?: object | undefined;
  /** Bytes, streams, blobs and forms are sent as they are, everything else as JSON. */
  body?: unknown;
  /** Sent as `Idempotency-Key`, for routes that honour it: the request is then repeated like a GET. */
  idempotencyKey?: string | undefined;
}

/** Requires a field unless its type permits to leave it out. */
type Field<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: undefined }
  : undefined extends T
    ? { [K in Name]?: T | undefined }
    : { [K in Name]: T };

/** What a request to a known route takes. */
export type OptionsOf<K extends RouteName> = Omit<
  RequestOptions,
  "path" | "query" | "body" | "idempotencyKey"
> &
  Pick<RequestOptions, K extends Keyed ? "idempotencyKey" : never> &
  Field<"path", Routes[K]["path"]> &
  Field<"query", Routes[K]["query"]> &
  // Routes for files take bytes, which the description of the service does not name.
  ([Routes[K]["body"]] extends [undefined] ? { body?: RawBody } : Field<"body", Routes[K]["body"]>);

/** The options may be left out where none is required. */
export type Arguments<K extends RouteName> =
  object extends OptionsOf<K> ? [options?: OptionsOf<K> | undefined] : [options: OptionsOf<K>];
