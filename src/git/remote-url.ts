import { AppError } from "#src/lib/errors.ts";
import type { GitRemote } from "./protocol.ts";

/** A checked remote: an address without credentials, and the header for its origin only. */
export interface CheckedRemote {
  url: string;
  /** Value of the `Authorization` header. */
  authorization: string | undefined;
}

/** Separates the credentials from a remote's address. Throws `invalid_input` for anything but an http(s) address. */
export function checkRemote({ url, auth }: GitRemote): CheckedRemote {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/u.test(parsed.protocol) || parsed.search !== "" || parsed.hash !== "") {
    throw new AppError("invalid_input", "The repository's address must begin with https:// or http://");
  }
  const given = auth ?? { username: decode(parsed.username), password: decode(parsed.password) };
  const hasCredentials = given.username !== "" || given.password !== "";
  return {
    url: withoutCredentials(parsed.href),
    authorization: hasCredentials ? `Basic ${toBase64(`${given.username}:${given.password}`)}` : undefined,
  };
}

/** Returns the address as it may be stored and shown: without credentials and trailing slash. */
export function withoutCredentials(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return url.replace(/^[^/]*@/u, "");
  parsed.username = "";
  parsed.password = "";
  return parsed.href.replace(/\/+$/u, "");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AppError("invalid_input", "The credentials in the repository's address are malformed");
  }
}

function toBase64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
