import { AppError } from "#src/lib/errors.ts";
import { withoutWords } from "#src/lib/without-words.ts";
import { McpOAuthFailure } from "./mcp-oauth.ts";

/** Codes of errors that pass: the request may be made again. */
const PASSING: ReadonlySet<string> = new Set([
  "server_error",
  "temporarily_unavailable",
  "too_many_requests",
]);

const TOLD: Readonly<Record<string, string>> = {
  IssuerMismatchError: "The authorization server says that it is another one than the one that was asked",
  InsecureTokenEndpointError: "The authorization server wants tokens to be sent without https",
  RegistrationRejectedError: "The authorization server does not register this service as a client",
};

/**
 * The failure that an error of the official package or of a request stands for. `what` ends the sentence "The authorization server
 * did not …". Words of the authorization server are left out but for its error code: they may repeat what it was sent.
 */
export function toFailure(error: unknown, what: string): McpOAuthFailure {
  if (error instanceof McpOAuthFailure) return error;
  if (error instanceof AppError && error.code === "invalid_input") {
    return new McpOAuthFailure("refused", `The authorization server must not be called: ${error.message}`, {
      cause: error,
    });
  }
  if (error instanceof AppError) {
    return new McpOAuthFailure("unreachable", error.message, { cause: error });
  }
  const told = error instanceof Error ? TOLD[error.name] : undefined;
  const cause = withoutWords(error);
  if (told !== undefined) return new McpOAuthFailure("refused", told, { cause });
  const code = codeOf(error);
  const sentence = `The authorization server did not ${what}${code === undefined ? "" : ` (${code})`}`;
  const isPassing = code !== undefined && PASSING.has(code);
  return new McpOAuthFailure(isPassing ? "unreachable" : "refused", sentence, { cause, code });
}

/** The code of RFC 6749 in an error of the package. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== "OAuthError") return undefined;
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" && /^[a-z0-9_]{1,40}$/u.test(code) ? code : undefined;
}
