import ipaddr from "ipaddr.js";

/** Which addresses beyond the public internet outbound requests may reach. */
export interface OutboundPolicy {
  /** Also loopback, private and special addresses; never set for a service that untrusted people use. */
  allowPrivate: boolean;
  /** Exact origins that are always allowed, such as `http://127.0.0.1:9000`. */
  allowedOrigins: readonly string[];
}

/**
 * Names, and everything below them, that are only meaningful inside a network; clouds serve metadata under `internal`.
 */
const LOCAL_SUFFIXES = ["localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa"];

/** Azure's host endpoint: a public address behind which a metadata service responds. */
const SPECIAL_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Refusal of a private address; names the variable for the operator. */
export const PRIVATE_REFUSAL =
  "The address leads into a private or special network, which needs OUTBOUND_ALLOW_PRIVATE";

/**
 * Why an address that a user supplied is refused, as a sentence for the user; `undefined` if its text is acceptable.
 * The addresses to which a host name resolves are checked when the request is made.
 */
export function checkOutboundUrl(text: string, policy: OutboundPolicy): string | undefined {
  const url = URL.parse(text);
  if (!url && /^https?:\/\//iu.test(text)) return "The address is malformed";
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return "The address must begin with http:// or https://";
  }
  if (url.username !== "" || url.password !== "")
    return "The address must not contain a user name or password";
  if (policy.allowPrivate || policy.allowedOrigins.includes(url.origin)) return undefined;
  const host = hostOf(url);
  const isPrivate = isAddress(host) ? !isPublicAddress(host) : isLocalName(host);
  return isPrivate ? PRIVATE_REFUSAL : undefined;
}

/** The host as a resolver expects it: no brackets, no final dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$|\.$/gu, "");
}

/** Whether a host is an IP address. The URL parser has already turned decimal, hex and octal forms into dotted ones. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(host);
}

/**
 * Whether an IP address is public: in no loopback, private, link-local, shared, reserved, tunnel or multicast range.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST_V6);
  return !SPECIAL_ADDRESSES.has(address.toString());
}

/** A name without a dot belongs to the local network. */
function isLocalName(host: string): boolean {
  const name = host.toLowerCase();
  return (
    !name.includes(".") || LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
  );
}
