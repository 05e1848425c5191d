import ipaddr from "ipaddr.js";

/** Longer than any address with brackets, zone and port. */
const MAX_LENGTH = 100;

/**
 * The IP address in a text, in its usual form: `203.0.113.7`, `2001:db8::7`. Drops a port, brackets and a zone, and
 * converts an IPv4-mapped IPv6 address to IPv4. `undefined` for anything else.
 */
export function readAddress(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  const bare = /^\[(.+)\](:\d+)?$/u.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/u.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.replace(/%.*$/u, "");
  // No server writes a peer's address in forms such as `127.1` or `0x7f000001`.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  if (!ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.toRFC5952String() : parsed.toString();
}

/** The network of one customer: an IPv4 address, or the /64 of an IPv6 address. Other texts stay as they are. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toRFC5952String()}/64`;
}
