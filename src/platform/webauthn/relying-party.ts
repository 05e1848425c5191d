import { readAddress } from "#src/lib/ip-address.ts";

/** What passkeys are bound to, as browsers name it. */
export interface RelyingParty {
  /** A host name; authenticators sign its hash. */
  id: string;
  /** Of the pages that may ask for a passkey. */
  origin: string;
}

/**
 * The service at its public address. Browsers take no IP address as an id, so outside production `localhost` stands for
 * 127.0.0.1; `undefined` for any other address without a host name.
 */
export function relyingPartyOf(publicUrl: string, isProduction: boolean): RelyingParty | undefined {
  const url = new URL(publicUrl);
  if (url.hostname === "127.0.0.1" && !isProduction) url.hostname = "localhost";
  const { hostname, origin } = url;
  return readAddress(hostname) === undefined ? { id: hostname, origin } : undefined;
}
