import { oauthRefusal } from "./oauth-refusal.ts";

export interface RedirectConfig {
  PUBLIC_URL: string;
  APP_BASE_URL?: string | undefined;
  DESKTOP_SCHEME: string;
  /** Hosts to which https addresses may lead, and schemes of apps, such as `cursor:`; empty allows all. */
  MCP_REDIRECT_HOSTS: readonly string[];
}

/** Longest address in characters. */
const MAX_LENGTH = 500;

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Schemes that belong to no single app: a browser handles them itself, which could run a script or open a file, the system does, which
 * could install something, or any page can register for them (HTML, section 8.9).
 */
const OF_NO_APP: ReadonlySet<string> = new Set(
  (
    "about acct afp android-app applescript bitcoin blob callto chrome chrome-extension cifs content data dns ed2k edge " +
    "ethereum facetime facetime-audio feed file filesystem ftp ftps geo gopher hcp help im intent irc ircs itms itms-apps " +
    "itms-appss itms-beta itms-services itmss jar javascript jscript ldap ldaps livescript macappstore macappstores magnet " +
    "mailto map maps market matrix mhtml mk mms mmsto mocha moz-extension news nfs nntp openpgp4fpr payto rdp read res " +
    "resource rlogin rtmp rtsp safari-extension search search-ms sftp shell sip sips sms smsto smb ssh tel telnet upi urn " +
    "vbs vbscript view-source vnc webcal webcals windowsdefender ws wss wtai wyciwyg xmpp"
  ).split(" "),
);

/**
 * Schemes by which the system opens any page in a certain browser, as `microsoft-edge:https://…` and `googlechrome://…` do, or that a
 * page or an extension may register (`web+`, `ext+`). Those of Windows (`ms-`) install apps and change settings.
 */
const LEADS_ANYWHERE =
  /^(brave|ddg|dolphin|duckduckgo|ext\+|firefox|googlechrome|icabmobile|microsoft-edge|ms-|mttbrowser|opera|puffin|sogoumse|touch-|ucbrowser|vivaldi|web\+|x-apple|x-help|x-safari|x-web|yandexbrowser)|-https?$/u;

/**
 * Checks an address to which people are sent back: https, http to the visitor's own machine, or the scheme of an app (RFC 8252).
 * Throws `invalid_input` with the code `invalid_redirect_uri`.
 */
export function checkRedirectUri(uri: string, config: RedirectConfig): void {
  if (uri.length > MAX_LENGTH) throw refused(`has more than ${MAX_LENGTH} characters`);
  // Such characters are dropped or read differently by browsers.
  if (/[^\x21-\x7e]|[\\"<>^`{|}]/u.test(uri)) throw refused("contains a character that must be encoded");
  const url = URL.parse(uri);
  if (!url) throw refused("is not an absolute address");
  if (uri.includes("#")) throw refused("must not have a fragment");
  if (url.username !== "" || url.password !== "") throw refused("must not contain a user name");
  if (url.protocol === "https:") {
    if (isOwn(url, config)) throw refused("is the service itself");
    return checkAllowed(url.hostname, config);
  }
  if (url.protocol === "http:") {
    if (!LOOPBACK.has(url.hostname)) throw refused("must begin with https:// or lead to this machine");
    if (isOwn(url, config)) throw refused("is the service itself");
    return;
  }
  const scheme = url.protocol.slice(0, -1);
  const isReserved = scheme === config.DESKTOP_SCHEME || scheme === "tauri";
  if (OF_NO_APP.has(scheme) || LEADS_ANYWHERE.test(scheme) || isReserved) {
    throw refused(`has the scheme ${scheme}, which no client may have`);
  }
  checkAllowed(url.protocol, config);
}

function checkAllowed(place: string, { MCP_REDIRECT_HOSTS: allowed }: RedirectConfig): void {
  if (allowed.length === 0 || allowed.includes(place)) return;
  throw refused(`leads to ${place}, which this installation does not allow`);
}

function refused(why: string) {
  return oauthRefusal("invalid_redirect_uri", `The redirect address ${why}`);
}

function isOwn({ host }: URL, { PUBLIC_URL, APP_BASE_URL }: RedirectConfig): boolean {
  return [PUBLIC_URL, APP_BASE_URL].some((url) => URL.parse(url ?? "")?.host === host);
}

/**
 * Whether a client that registered these addresses may be sent back to this one. They are compared as texts, except the port on
 * the visitor's own machine, where programs take any that is free. Source: RFC 8252, section 7.3.
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return registered.includes(uri) || registered.some((each) => samePlace(uri, each));
}

function samePlace(one: string, other: string): boolean {
  const [a, b] = [withoutPort(one), withoutPort(other)];
  return a !== undefined && a === b;
}

/** A loopback address without its port; `undefined` for any other. */
function withoutPort(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (url?.protocol !== "http:" || !LOOPBACK.has(url.hostname)) return undefined;
  const { host } = url;
  // The text itself, because parsing would make different texts equal.
  return uri.startsWith(`http://${host}`)
    ? `${url.hostname} ${uri.slice(`http://${host}`.length)}`
    : undefined;
}

/** Where an address leads, in words for the person: a host, "this machine", or the scheme of an app. */
export function placeOf(uri: string): string {
  const { protocol, host, hostname } = new URL(uri);
  if (protocol === "http:" && LOOPBACK.has(hostname)) return "this machine";
  return protocol === "https:" ? host : `the app of ${protocol.slice(0, -1)}:`;
}
