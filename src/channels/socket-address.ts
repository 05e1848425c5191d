import { PlatformFailure } from "./platform-failure.ts";

/**
 * The address of a socket that the platform at `baseUrl` named. Throws `PlatformFailure` for one without encryption where the
 * platform itself is called with it.
 */
export function socketAddress(address: string, baseUrl: string): URL {
  const url = URL.parse(address);
  const mayBePlain = new URL(baseUrl).protocol === "http:";
  if (url && (url.protocol === "wss:" || (mayBePlain && url.protocol === "ws:"))) return url;
  throw new PlatformFailure("unreachable", "The platform named an address that is no socket.");
}
