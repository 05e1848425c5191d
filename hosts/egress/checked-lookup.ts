import dns from "node:dns";
import type { LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { PRIVATE_REFUSAL } from "#src/lib/outbound-url.ts";

/** Finds every address of a host name. */
export type Resolve = (host: string) => Promise<dns.LookupAddress[]>;

/** A host name has at least one address outside the public internet. */
export class PrivateAddress extends Error {}

export const resolveWithSystem: Resolve = (host) => dns.promises.lookup(host, { all: true });

/**
 * Returns a `lookup` for `node:net` that resolves once and passes only the checked addresses to the connection, so that
 * DNS rebinding gains nothing. One forbidden address refuses the host. It returns a list, as Node expects unless its
 * `autoSelectFamily` is off.
 */
export function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return callbackify(async (host: string, _options: dns.LookupOptions): Promise<dns.LookupAddress[]> => {
    const addresses = await resolve(host);
    if (addresses.length === 0) throw new Error("The host name has no address");
    if (!addresses.every(({ address }) => isAllowed(address))) {
      throw new PrivateAddress(PRIVATE_REFUSAL);
    }
    return addresses;
  });
}
