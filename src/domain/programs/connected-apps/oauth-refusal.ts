import { AppError } from "#src/lib/errors.ts";

/** Codes of RFC 6749, section 5.2, RFC 7591, section 3.2.2, and RFC 8707, section 2. */
export type OAuthError =
  | "invalid_request"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_scope"
  | "invalid_target"
  | "access_denied"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** A refusal with the code that clients of OAuth decide by. */
export function oauthRefusal(error: OAuthError, message: string): AppError {
  return new AppError("invalid_input", message, { extra: { error } });
}
