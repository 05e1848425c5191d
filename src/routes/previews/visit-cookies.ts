import type { Env } from "#src/env.ts";
import { cookieOf, framedCookie, hostCookie } from "#src/http/cookies.ts";

/**
 * The cookies of a visit to a private preview. A page of the service shows previews in frames, and on `*.localhost`, or
 * with a domain of their own, they are another site: browsers then keep no `Lax` cookie. A visit in a frame therefore
 * has cookies of its own, which browsers keep apart for each site that frames the preview.
 */

const NONCE_SECONDS = 300;

/** Whether the browser loads this document into a frame. Source: W3C Fetch Metadata Request Headers. */
export function isFramed(request: Request): boolean {
  return request.headers.get("sec-fetch-dest") === "iframe";
}

/**
 * Whether a page of another site asks, and not for a document in a frame. Browsers send a `Lax` cookie with no such
 * request; the cookies of frames count for none either, so that a page which frames a preview cannot read from it.
 */
function isAskedFromElsewhere(request: Request): boolean {
  return request.headers.get("sec-fetch-site") === "cross-site" && !isFramed(request);
}

/** The tokens of visits that a request carries; requests of a page in a frame do not tell that they come from one. */
export function visitTokens(request: Request, config: Env): string[] {
  const framed = isAskedFromElsewhere(request) ? undefined : cookieOf(request, config, "framed_session");
  return [cookieOf(request, config, "preview_session"), framed].filter((token) => token !== undefined);
}

/** What the browser keeps while the service looks at who the visitor is. */
export function keptNonce(request: Request, config: Env): string | undefined {
  return cookieOf(request, config, isFramed(request) ? "framed_nonce" : "preview_nonce");
}

/** `Set-Cookie` that keeps it. */
export function nonceCookie(request: Request, config: Env, nonce: string): string {
  return isFramed(request)
    ? framedCookie(config, "framed_nonce", nonce, NONCE_SECONDS)
    : hostCookie(config, "preview_nonce", nonce, NONCE_SECONDS);
}

/** `Set-Cookie`s of a visitor who has entered, for so many seconds. */
export function sessionCookies(request: Request, config: Env, token: string, seconds: number): string[] {
  return isFramed(request)
    ? [framedCookie(config, "framed_session", token, seconds), framedCookie(config, "framed_nonce", "", 0)]
    : [hostCookie(config, "preview_session", token, seconds), hostCookie(config, "preview_nonce", "", 0)];
}
