import type http from "node:http";
import net from "node:net";

/**
 * Whether a request comes from this machine's programs or the platform's own page, and not from a page of another site:
 * such a page reaches this server too, by its address or by a name of its own that leads to it.
 */
export function isOwnRequest({ headers }: Pick<http.IncomingMessage, "headers">): boolean {
  const { host = "", origin } = headers;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  return isAddress(URL.parse(`http://${host}`)?.hostname ?? "");
}

/** A name could lead anywhere, and to this machine only for a moment; numbers and `localhost` cannot. */
function isAddress(hostname: string): boolean {
  return hostname === "localhost" || net.isIP(hostname.replaceAll(/[[\]]/gu, "")) !== 0;
}
