import type http from "node:http";

/**
 * Whether a request comes from this machine's programs or the platform's own page, and not from a page of another site,
 * which reaches this server by its address.
 */
export function isOwnRequest({ headers }: Pick<http.IncomingMessage, "headers">): boolean {
  const { host = "", origin } = headers;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  return origin === undefined || origin === `http://${host}`;
}
