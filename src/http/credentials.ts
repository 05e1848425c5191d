import { GRANT_TOKEN } from "#src/lib/grant-token.ts";
import { cookieOf } from "./cookies.ts";

type CookieConfig = Parameters<typeof cookieOf>[1];

/**
 * A request's credentials. An Authorization header takes precedence even if it is invalid, and never falls back to the
 * cookie; otherwise a page could act as its visitor by sending an invalid header.
 */
export type Credentials =
  | { kind: "key" | "grant" | "accessToken" | "sessionCookie"; token: string }
  | { kind: "none" | "unreadable" };

/**
 * The token of `Authorization: Bearer …`, otherwise the cookie. A `tsk_` key without `Bearer` is accepted, because
 * existing clients send it.
 */
export function readCredentials(request: Request, config: CookieConfig): Credentials {
  const header = request.headers.get("authorization")?.trim();
  if (header === undefined) {
    const token = cookieOf(request, config, "session");
    return token === undefined ? { kind: "none" } : { kind: "sessionCookie", token };
  }
  const token = /^Bearer\s+(\S+)$/iu.exec(header)?.[1] ?? (isKey(header) ? header : undefined);
  if (token === undefined) return { kind: "unreadable" };
  return credentialsOf(token);
}

/** A token from outside the headers, such as the query of a socket. */
export function credentialsOf(token: string): Credentials {
  if (isKey(token)) return { kind: "key", token };
  return { kind: token.startsWith(GRANT_TOKEN) ? "grant" : "accessToken", token };
}

/** The access token in the header or the cookie; `undefined` if there is none. */
export function accessTokenOf(request: Request, config: CookieConfig): string | undefined {
  const credentials = readCredentials(request, config);
  return credentials.kind === "accessToken" || credentials.kind === "sessionCookie"
    ? credentials.token
    : undefined;
}

function isKey(token: string): boolean {
  return token.startsWith("tsk_");
}
