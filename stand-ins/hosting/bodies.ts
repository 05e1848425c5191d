import type http from "node:http";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { InvalidBody } from "./invalid-body.ts";
import type { Exchange } from "./wire.ts";

const MAX_JSON_BYTES = 20 * 1024 * 1024;
const MAX_FORM_BYTES = 128 * 1024 * 1024;

/** Reads a body whole. */
export async function readBytes(request: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.byteLength;
    if (size > limit) throw new InvalidBody("The body is too large", 413);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Reads the JSON of a call. Throws `InvalidBody`. */
export async function readJson<T>({ request }: Pick<Exchange, "request">, schema: z.ZodType<T>): Promise<T> {
  if (!contentType(request).startsWith("application/json")) {
    throw new InvalidBody("The Content-Type must be application/json");
  }
  const text = (await readBytes(request, MAX_JSON_BYTES)).toString();
  const value = safeParseJson(text, z.unknown());
  if (!value) throw new InvalidBody("Invalid JSON");
  return fitting(schema, value.value);
}

/** Reads JSON where the provider takes a call without a body, too. */
export async function readOptionalJson<T>(
  { request }: Pick<Exchange, "request">,
  schema: z.ZodType<T>,
): Promise<T> {
  const text = (await readBytes(request, MAX_JSON_BYTES)).toString();
  const value = text === "" ? { value: {} } : safeParseJson(text, z.unknown());
  if (!value) throw new InvalidBody("Invalid JSON");
  return fitting(schema, value.value);
}

/** Checks a value against a schema; the message of the `InvalidBody` names the field. */
function fitting<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === "unrecognized_keys") {
    throw new InvalidBody(`should NOT have additional property \`${issue.keys.join("`, `")}\``);
  }
  const at = issue?.path.join(".") ?? "";
  throw new InvalidBody(`${at === "" ? "" : `\`${at}\`: `}${issue?.message ?? "invalid"}`);
}

/** Reads the parts of a multipart form. */
export async function readForm({ request }: Pick<Exchange, "request">): Promise<FormData> {
  const type = contentType(request);
  if (!type.startsWith("multipart/form-data")) {
    throw new InvalidBody("The Content-Type must be multipart/form-data");
  }
  const bytes = await readBytes(request, MAX_FORM_BYTES);
  try {
    return await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  } catch {
    throw new InvalidBody("The multipart form could not be read");
  }
}

export function contentType({ headers }: Pick<http.IncomingMessage, "headers">): string {
  return headers["content-type"] ?? "";
}
