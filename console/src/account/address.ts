/** Page after signing in without another destination. */
const HOME = "/app";
const NEXT = "account.next";

/**
 * Returns an address of this origin as an absolute URL; `undefined` for any other, which may be an attack. The path
 * alone would not be safe: `/.//elsewhere` has the path `//elsewhere`, which is an address again.
 */
function ownAddress(address: string | null): string | undefined {
  if (!address || !URL.canParse(address, location.origin)) return undefined;
  const url = new URL(address, location.origin);
  return url.origin === location.origin ? url.href : undefined;
}

/** Stores where to go after signing in. The destination may contain a token, so it must not be part of an address. */
export function goThereLater(address: string | null): void {
  const own = ownAddress(address);
  if (own !== undefined) sessionStorage.setItem(NEXT, own);
}

/** Goes on to the stored destination. */
export function goOn(): void {
  const own = ownAddress(sessionStorage.getItem(NEXT)) ?? HOME;
  sessionStorage.removeItem(NEXT);
  location.replace(own);
}

/** Signs in first, and returns to this page. */
export function signInFirst(): void {
  location.replace(`/login?${new URLSearchParams({ next: location.pathname }).toString()}`);
}

/** Signs in first, and returns to an address that may contain a secret. */
export function signInFor(address: string): void {
  goThereLater(address);
  location.replace("/login");
}

/** Removes all but the path from the address bar and the history. */
export function keepPathAlone(): void {
  history.replaceState(null, "", location.pathname);
}

/** Returns the token of the page's address, and removes it from the address bar and the history. */
export function takeToken(): string {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  keepPathAlone();
  return token;
}

/** The last part of the page's address. */
export function lastPart(): string {
  const part = location.pathname.replace(/\/+$/u, "").split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
