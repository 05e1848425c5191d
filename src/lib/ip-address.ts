import ipaddr from "ipaddr.js";

/** Longer than any address with brackets, zone and port. */
const MAX_LENGTH = 100;

/**
 * The IP address in a text, in its one usual spelling: `203.0.113.7`, `2001:db8::7`. A port, brackets or a zone beside it
 * are dropped, and an IPv4 address in the guise of an IPv6 one is IPv4. `undefined` for anything else.
 */
export function readAddress(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  const bare = /^\[(.+)\](:\d+)?$/u.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/u.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.replace(/%.*$/u, "");
  // Forms such as `127.1` or `0x7f000001` are nobody's spelling of a peer.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  if (!ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.toRFC5952String() : parsed.toString();
}

/** What one customer holds: an IPv4 address, or of IPv6 the /64 that every household is given. Other texts stay as they are. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toRFC5952String()}/64`;
}
