import ipaddr from "ipaddr.js";

/** Which addresses outbound requests may reach beyond the public internet. */
export interface OutboundPolicy {
  /** Loopback, private and special addresses too; never set for a service that strangers use. */
  allowPrivate: boolean;
  /** Exact origins that are always allowed, such as `http://127.0.0.1:9000`. */
  allowedOrigins: readonly string[];
}

/** Names that only mean something inside a network, with everything below them; clouds keep metadata under `internal`. */
const LOCAL_SUFFIXES = ["localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa"];

/** Azure's host endpoint: a public address by its number, a metadata service by what answers there. */
const SPECIAL_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Of an address that this service does not go to, for whoever can change that. */
export const PRIVATE_REFUSAL =
  "The address leads into a private or special network, which needs OUTBOUND_ALLOW_PRIVATE";

/**
 * Why an address that a user gave is refused, as a sentence for him; `undefined` when nothing in its text forbids it.
 * What a host name resolves to is checked when the request is made.
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

/** The host as a resolver takes it: no brackets, no final dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$|\.$/gu, "");
}

/** Whether a host is an IP address. The URL parser has already turned decimal, hex and octal forms into dotted ones. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(host);
}

/** Whether an IP address belongs to the public internet: no loopback, private, link-local, shared, reserved, tunnel or multicast range. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST_V6);
  return !SPECIAL_ADDRESSES.has(address.toString());
}

/** A name without a dot can only be one of the local network's. */
function isLocalName(host: string): boolean {
  const name = host.toLowerCase();
  return (
    !name.includes(".") || LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
  );
}
