import { ConnectionError, errorOfStatus, type WorkspaceError } from "../errors.ts";
import { fieldsOf, parseJson, textOf } from "../json.ts";

/** Of an error's text that is not the service's. */
const MAX_DETAIL = 500;

/**
 * The body of an answer: JSON, text, or bytes, by its content type; `undefined` if there is none. Throws a
 * `ConnectionError` for what is not the service's, such as a page of a proxy, and for JSON that is cut off.
 */
export async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const type = response.headers.get("content-type") ?? "";
  if (isJson(type)) {
    const body = parseJson(await response.text());
    if (body === undefined) throw new ConnectionError("The answer is cut off");
    return body;
  }
  // The API answers with JSON, CSV, archives and bytes: a page or a plain text is by something between.
  if (/\/api\//u.test(response.url || "/api/") && /^text\/(html|plain|event-stream)/iu.test(type)) {
    throw new ConnectionError(`The answer is not the service's: it is ${type}`);
  }
  if (type.startsWith("text/")) return response.text();
  return new Uint8Array(await response.arrayBuffer());
}

/** The error that an answer is. `without` removes secrets, which something between might repeat. */
export async function errorOf(
  response: Response,
  now: number,
  without: (text: string) => string,
): Promise<WorkspaceError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => "");
  const { detail, code } = fieldsOf(isJson(headers.get("content-type") ?? "") && parseJson(text));
  const sentence = textOf(detail) ?? `The service answered with status ${status}`;
  const word = textOf(code);
  return errorOfStatus(status, without(sentence).slice(0, MAX_DETAIL), {
    code: word && without(word),
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterSeconds: retryAfter(headers.get("retry-after"), now),
  });
}

/** Seconds of `Retry-After`: a number or a date. Source: RFC 9110, section 10.2.3. */
function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/u.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

function isJson(type: string): boolean {
  return /^application\/([\w.+-]+\+)?json\b/iu.test(type);
}
