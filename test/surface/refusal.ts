import { z } from "zod";
import type { ApiAnswer } from "#test/support/api-client.ts";
import type { Operation } from "./operations.ts";

/** Refusals that existing clients compare by their letters; every other one is a sentence for a person. */
const WORDS = new Set([
  "REGISTER_USER_ALREADY_EXISTS",
  "LOGIN_BAD_CREDENTIALS",
  "UPDATE_USER_EMAIL_ALREADY_EXISTS",
  "RESET_PASSWORD_BAD_TOKEN",
  "VERIFY_USER_BAD_TOKEN",
  "VERIFY_USER_ALREADY_VERIFIED",
  "INVALID_STATE_TOKEN",
  "STATE_TOKEN_EXPIRED",
  "OAUTH_NOT_AVAILABLE_EMAIL",
  "EMAIL_DOMAIN_NOT_ALLOWED",
]);

const Body = z.strictObject({ detail: z.string() });
/** For clients of OpenAI's API; both must say the same. */
const OpenAiBody = Body.extend({
  error: z.strictObject({
    message: z.string(),
    type: z.string().min(1),
    code: z.string().min(1),
    param: z.null(),
  }),
}).refine(({ detail, error }) => error.message === detail);

/** For clients of OAuth. */
const OAuthBody = Body.extend({
  error: z.string().min(1).optional(),
  error_description: z.string().min(1).optional(),
});

/** For paths below those of OpenAI's API: a 404 there may have either style. */
export const EitherBody = z.union([OpenAiBody, Body]);

/** How an error response differs from its style, if it does: exactly `{"detail": "a sentence"}`, or OpenAI's fields besides. */
export function faultOf(
  { status, headers, text }: ApiAnswer<unknown>,
  style: z.ZodType<z.output<typeof Body>> = Body,
): string | undefined {
  if (status >= 500) return `status ${status}: ${text}`;
  if (status < 400) return undefined;
  if (headers.get("content-type") !== "application/json")
    return `content type ${headers.get("content-type")}`;
  const body = style.safeParse(JSON.parse(text));
  if (!body.success) return `the body ${text}`;
  return isSentence(body.data.detail) ? undefined : `the detail ${JSON.stringify(body.data.detail)}`;
}

const STYLES: Readonly<Record<string, z.ZodType<z.output<typeof Body>>>> = {
  OpenAiError: OpenAiBody,
  OAuthError: OAuthBody,
};

/** As `faultOf`, where an answer that the document does not name is a fault, too. */
export function undocumentedOrFaulty(operation: Operation, answer: ApiAnswer<unknown>): string | undefined {
  const documented = operation.responses[answer.status]?.content["application/json"]?.schema["$ref"];
  const style = String(documented).split("/").at(-1) ?? "";
  const fault = faultOf(answer, STYLES[style] ?? Body);
  if (fault !== undefined) return fault;
  return answer.status in operation.responses
    ? undefined
    : `${operation.name} does not document ${answer.status}: ${answer.text}`;
}

function isSentence(detail: string): boolean {
  if (WORDS.has(detail)) return true;
  const readable = /^[\p{L}`"']/u.test(detail) && detail.length >= 8 && detail.length <= 1000;
  const technical =
    /\[object |undefined:|[\r\n\0]|\bat \S+:\d+:\d+|^[A-Z][A-Za-z]*Error\b|SELECT |node_modules/u;
  return readable && detail.isWellFormed() && !technical.test(detail);
}
