import { CONNECTION_HEADERS } from "#src/lib/connection-headers.ts";
import { COOKIE_NAMES } from "./cookies.ts";

/**
 * Previews run users' programs, which are not trusted. A program never receives the visitor's credentials for the
 * service, and can set nothing that the service, or another preview, would read.
 */

/** Cookies of the service on its own host and on hosts of previews. */
const OUR_COOKIES: ReadonlySet<string> = new Set(COOKIE_NAMES);

/**
 * Headers that a client can forge, or that reveal more about the visitor or the network path than a user's program may
 * know.
 */
const PRIVATE_REQUEST_HEADERS = [
  "cf-connecting-ip",
  "cf-ray",
  "cf-visitor",
  "cf-ipcountry",
  "cdn-loop",
  "forwarded",
];

/**
 * Headers whose effect would go beyond this one host, or that would delete what the browser stores for the whole
 * domain.
 */
const FAR_REACHING_HEADERS = [
  "strict-transport-security",
  "public-key-pins",
  "clear-site-data",
  "alt-svc",
  // Previews by path are on the service's own origin. With one of these policies browsers would report the addresses of
  // all requests to that origin, tokens included, to a host that the program names. Source: W3C Network Error Logging
  // and Reporting API.
  "nel",
  "report-to",
  "reporting-endpoints",
];

/** A visitor's headers as the program of a preview receives them. */
export function toProgram(
  from: Headers,
  to: { url: URL; port: number; stripAuthorization: boolean },
): Headers {
  const headers = new Headers(from);
  // Sockets need the upgrade headers, which are restored here.
  const isUpgrade = from.get("upgrade")?.toLowerCase() === "websocket";
  for (const name of [...CONNECTION_HEADERS, ...PRIVATE_REQUEST_HEADERS]) headers.delete(name);
  if (isUpgrade) headers.set("upgrade", "websocket");
  if (to.stripAuthorization) headers.delete("authorization");
  const cookies = withoutOurs(from.get("cookie") ?? "");
  if (cookies === "") headers.delete("cookie");
  else headers.set("cookie", cookies);
  // Dev servers compare the host, and some the origin, with the address they listen on.
  headers.set("host", `localhost:${to.port}`);
  if (from.get("origin") === to.url.origin) headers.set("origin", `http://localhost:${to.port}`);
  headers.set("x-forwarded-host", to.url.host);
  headers.set("x-forwarded-proto", to.url.protocol.slice(0, -1));
  headers.delete("x-forwarded-for");
  return headers;
}

/** A program's headers as the visitor receives them; `cookies` says whether the program may set cookies. */
export function toVisitor(from: Headers, { cookies }: { cookies: boolean }): Headers {
  const headers = new Headers();
  for (const [name, value] of from) {
    if (name !== "set-cookie") headers.append(name, value);
  }
  for (const name of [...CONNECTION_HEADERS, ...FAR_REACHING_HEADERS]) headers.delete(name);
  if (cookies) for (const each of ownCookies(from.getSetCookie())) headers.append("set-cookie", each);
  return headers;
}

/** The separator of cookies. Several headers of one request are joined by commas, which values may contain too. */
const BETWEEN_COOKIES = new RegExp(`;|,\\s*(?=(?:${COOKIE_NAMES.join("|")})\\s*=)`, "u");

/** A `Cookie` header without the service's cookies. */
function withoutOurs(cookie: string): string {
  return cookie
    .split(BETWEEN_COOKIES)
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "" && !OUR_COOKIES.has(nameOf(pair)))
    .join("; ");
}

/**
 * `Set-Cookie`s without the names of the service's cookies, each for this host alone: a cookie for the domain would
 * reach the service.
 */
function ownCookies(setCookies: readonly string[]): string[] {
  return (
    setCookies
      // Browsers send back a cookie without a name as its bare value, which could look like another cookie.
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
