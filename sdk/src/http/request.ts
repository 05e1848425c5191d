import { trusted } from "../json.ts";
import { bodyOf } from "./answer.ts";
import type { Answer, Arguments, PathOf, RouteOf } from "./route.ts";
import type { Call, Transport } from "./transport.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Sends a request to a route and resolves to the body of its answer. */
export type Request = <M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  ...options: Arguments<RouteOf<M, P>>
) => Promise<Answer<RouteOf<M, P>>>;

/** `request` over a transport. */
export function requestOver(transport: Transport): Request {
  return (method, template, ...[options]) => transport.send({ ...options, method, template }, answerOf);
}

/** Sends a call whose answer has the type that the service describes. */
export function answerTo<T>(transport: Transport, call: Call): Promise<T> {
  return transport.send<T>(call, answerOf);
}

async function answerOf<T>(response: Response): Promise<T> {
  return trusted<T>(await bodyOf(response));
}
