import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";

/** A request, for routes. */
export interface Exchange {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: IncomingMessage;
  /** Aborted when the caller disconnects. */
  gone: AbortSignal;
}

/** A response that is not JSON. With `size`, a body of another length is a failure that the caller sees. */
export class Streamed {
  readonly body: Readable;
  readonly headers: Readonly<Record<string, string>>;
  readonly size: number | undefined;

  constructor(body: Readable, options: { headers?: Readonly<Record<string, string>>; size?: number } = {}) {
    this.body = body;
    this.headers = options.headers ?? {};
    this.size = options.size;
  }
}

export interface Route {
  method: string;
  /** Segments that begin with a colon are parameters. */
  path: string;
  /** Returns a JSON value, `Streamed`, or nothing. Throws `AppError`s. */
  handle(exchange: Exchange): unknown;
}

/** Largest JSON a caller sends: the paths of 100,000 files. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

export async function readJson<T>({ body }: Exchange, schema: z.ZodType<T>): Promise<T> {
  if (Number(body.headers["content-length"] ?? 0) > MAX_JSON_BYTES) {
    throw new AppError("too_large", "The request is too large");
  }
  return parseJson(await text(body), schema);
}

export function param({ params }: Exchange, name: string): string {
  return params[name] ?? "";
}

/** Returns a number from the query; throws `invalid_input` for an invalid one. */
export function countOf({ query }: Exchange, name: string): number {
  const count = Number(query.get(name) ?? Number.NaN);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new AppError("invalid_input", `${name} must be a whole number`);
}
