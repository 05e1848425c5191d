import type http from "node:http";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { BotError, badRequest } from "./bot-error.ts";

const MAX_BYTES = 60 * 1024 * 1024;

/** A file that a bot uploads. */
export interface Upload {
  name: string;
  mimeType: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What a bot says in a call: in the address, as JSON, or as a form. */
export interface Parameters {
  values: Readonly<Record<string, unknown>>;
  uploads: ReadonlyMap<string, Upload>;
}

export async function readParameters(
  request: http.IncomingMessage,
  query: URLSearchParams,
): Promise<Parameters> {
  const values: Record<string, unknown> = Object.fromEntries(query);
  const uploads = new Map<string, Upload>();
  const body = await readBody(request);
  const type = request.headers["content-type"] ?? "";
  if (body.byteLength === 0) return { values, uploads };
  if (type.startsWith("application/json")) {
    const given = safeParseJson(new TextDecoder().decode(body), z.record(z.string(), z.unknown()));
    if (!given) throw badRequest("can't parse JSON object");
    return { values: { ...values, ...given.value }, uploads };
  }
  const form = await new Response(body, { headers: { "content-type": type } })
    .formData()
    .catch(() => undefined);
  if (!form) throw badRequest("can't parse the body");
  for (const [name, value] of form) {
    if (typeof value === "string") values[name] = value;
    else {
      uploads.set(name, {
        name: value.name,
        mimeType: value.type,
        bytes: new Uint8Array(await value.arrayBuffer()),
      });
    }
  }
  return { values, uploads };
}

/** The body of a request. Throws for one that is larger than any file may be. */
export async function readBody(request: http.IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new BotError(413, "Request Entity Too Large");
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Forms and addresses hold texts only: numbers, flags and objects come as JSON within them. */
export const parameter = {
  int: z.coerce.number().int(),
  flag: z.union([z.boolean(), z.stringbool()]),
  json: <T>(schema: z.ZodType<T>) =>
    z.preprocess(
      (value) => (typeof value === "string" ? safeParseJson(value, z.unknown())?.value : value),
      schema,
    ),
};

/** Reads the parameters of a method; the first that is wrong is named. */
export function check<T>({ values }: Parameters, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const name = parsed.error.issues[0]?.path[0];
  throw badRequest(`parameter "${String(name)}" is missing or invalid`);
}
