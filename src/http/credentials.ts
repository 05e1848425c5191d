import { cookieOf } from "./cookies.ts";

type CookieConfig = Parameters<typeof cookieOf>[1];

/**
 * What a request presents. A header that is there decides, whatever is in it: one that is not valid never falls back to
 * the cookie, or a page could act as its visitor by sending rubbish.
 */
export type Credentials =
  | { kind: "key" | "accessToken" | "sessionCookie"; token: string }
  | { kind: "none" | "unreadable" };

/** The token of `Authorization: Bearer …` (a bare `tsk_` key is taken too, as existing clients send it), else the cookie. */
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

/** A token that came by itself, such as in the query of a socket. */
export function credentialsOf(token: string): Credentials {
  return { kind: isKey(token) ? "key" : "accessToken", token };
}

/** An access token, in the header or in the cookie; `undefined` where there is none. */
export function accessTokenOf(request: Request, config: CookieConfig): string | undefined {
  const credentials = readCredentials(request, config);
  return credentials.kind === "accessToken" || credentials.kind === "sessionCookie"
    ? credentials.token
    : undefined;
}

function isKey(token: string): boolean {
  return token.startsWith("tsk_");
}
