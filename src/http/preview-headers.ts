import { CONNECTION_HEADERS } from "#src/lib/connection-headers.ts";
import { COOKIE_NAMES } from "./cookies.ts";

/**
 * Previews show what users built: foreign ground. What identifies a visitor to the service never reaches it, and it can set
 * nothing that the service, or another preview, would read.
 */

/** Ours on the service's own host and on previews'. */
const OUR_COOKIES: ReadonlySet<string> = new Set(COOKIE_NAMES);

/** What says more about the visitor, or the way here, than a user's program is to know, or can be made up by the client. */
const PRIVATE_REQUEST_HEADERS = [
  "cf-connecting-ip",
  "cf-ray",
  "cf-visitor",
  "cf-ipcountry",
  "cdn-loop",
  "forwarded",
];

/** What would bind the browser beyond this one host, or undo what it keeps for the whole domain. */
const FAR_REACHING_HEADERS = [
  "strict-transport-security",
  "public-key-pins",
  "clear-site-data",
  "alt-svc",
  // The path form lies on the service's own origin: a policy of these has the addresses of all its requests, tokens
  // included, told to whoever the program names. Source: W3C Network Error Logging and Reporting API.
  "nel",
  "report-to",
  "reporting-endpoints",
];

/** A visitor's headers as the program behind a preview gets them. */
export function toProgram(
  from: Headers,
  to: { url: URL; port: number; stripAuthorization: boolean },
): Headers {
  const headers = new Headers(from);
  // Those of an upgrade are put back for sockets.
  const isUpgrade = from.get("upgrade")?.toLowerCase() === "websocket";
  for (const name of [...CONNECTION_HEADERS, ...PRIVATE_REQUEST_HEADERS]) headers.delete(name);
  if (isUpgrade) headers.set("upgrade", "websocket");
  if (to.stripAuthorization) headers.delete("authorization");
  const cookies = withoutOurs(from.get("cookie") ?? "");
  if (cookies === "") headers.delete("cookie");
  else headers.set("cookie", cookies);
  // Dev servers check the host, and some the origin, against what they listen on.
  headers.set("host", `localhost:${to.port}`);
  if (from.get("origin") === to.url.origin) headers.set("origin", `http://localhost:${to.port}`);
  headers.set("x-forwarded-host", to.url.host);
  headers.set("x-forwarded-proto", to.url.protocol.slice(0, -1));
  headers.delete("x-forwarded-for");
  return headers;
}

/** A program's headers as its visitor gets them; `cookies` says whether it may set any. */
export function toVisitor(from: Headers, { cookies }: { cookies: boolean }): Headers {
  const headers = new Headers();
  for (const [name, value] of from) {
    if (name !== "set-cookie") headers.append(name, value);
  }
  for (const name of [...CONNECTION_HEADERS, ...FAR_REACHING_HEADERS]) headers.delete(name);
  if (cookies) for (const each of ownCookies(from.getSetCookie())) headers.append("set-cookie", each);
  return headers;
}

/** Where one cookie ends; several headers in one request come joined by commas, which values may hold as well. */
const BETWEEN_COOKIES = new RegExp(`;|,\\s*(?=(?:${COOKIE_NAMES.join("|")})\\s*=)`, "u");

/** A `Cookie` header without what is ours. */
function withoutOurs(cookie: string): string {
  return cookie
    .split(BETWEEN_COOKIES)
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "" && !OUR_COOKIES.has(nameOf(pair)))
    .join("; ");
}

/** `Set-Cookie`s without ours, each for this host alone: one for the domain would reach the service. */
function ownCookies(setCookies: readonly string[]): string[] {
  return (
    setCookies
      // One without a name comes back as whatever its value looks like.
      .filter((each) => nameOf(each) !== "" && !OUR_COOKIES.has(nameOf(each)))
      .map((each) =>
        each
          .split(";")
          .filter((attribute, index) => index === 0 || !/^\s*domain\s*(=|$)/iu.test(attribute))
          .join(";"),
      )
  );
}

function nameOf(pair: string): string {
  return (/^[^=;]*/u.exec(pair)?.[0] ?? "").trim();
}
