import { AppError } from "#src/lib/errors.ts";
import type { GitRemote } from "./protocol.ts";

/** A remote as it is used: an address without credentials, and what to send to its origin, and to no other. */
export interface CheckedRemote {
  url: string;
  /** Value of the `Authorization` header. */
  authorization: string | undefined;
}

/** Take the credentials out of a remote's address. Throws `invalid_input` for anything but an http(s) address. */
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

/** The address as it may be kept and shown: no credentials, no slash at its end. */
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
