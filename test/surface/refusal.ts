import type { ApiAnswer } from "#test/support/api-client.ts";
import type { Operation } from "./operations.ts";

/** Refusals that existing clients compare by their letters; every other one is a sentence for a person. */
const WORDS = new Set([
  "REGISTER_USER_ALREADY_EXISTS",
  "LOGIN_BAD_CREDENTIALS",
  "UPDATE_USER_EMAIL_ALREADY_EXISTS",
]);

/** What is wrong with an error answer, if anything is: it must be exactly `{"detail": "a sentence"}`. */
export function faultOf({ status, headers, text }: ApiAnswer<unknown>): string | undefined {
  if (status >= 500) return `status ${status}: ${text}`;
  if (status < 400) return undefined;
  if (headers.get("content-type") !== "application/json")
    return `content type ${headers.get("content-type")}`;
  const body: unknown = JSON.parse(text);
  if (typeof body !== "object" || body === null || Object.keys(body).join() !== "detail")
    return `the body ${text}`;
  const { detail } = body as { detail: unknown };
  if (typeof detail !== "string") return `the body ${text}`;
  return isSentence(detail) ? undefined : `the detail ${JSON.stringify(detail)}`;
}

function isSentence(detail: string): boolean {
  if (WORDS.has(detail)) return true;
  const readable = /^[\p{L}`"']/u.test(detail) && detail.length >= 8 && detail.length <= 1000;
  const technical =
    /\[object |undefined:|[\r\n\0]|\bat \S+:\d+:\d+|^[A-Z][A-Za-z]*Error\b|SELECT |node_modules/u;
  return readable && detail.isWellFormed() && !technical.test(detail);
}

/** Whether the document says that this operation may answer so. */
export function isDocumented(operation: Operation, status: number): boolean {
  return String(status) in operation.responses;
}
