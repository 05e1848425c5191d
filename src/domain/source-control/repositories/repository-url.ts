import { AppError } from "#src/lib/errors.ts";

/** The parsed address of a repository. */
export interface RepositoryAddress {
  /** The address for git: http or https, without credentials, query or fragment. */
  url: string;
  /** Origin of the address, which determines the credentials. */
  origin: string;
  /** The path without its last segment: `group/subgroup` at hosts with nested groups. */
  owner: string;
  /** Without `.git`. */
  name: string;
}

const MAX_LENGTH = 2000;

/**
 * Parses the address of a repository or of its page at a host. Throws `invalid_input` for anything but http and https,
 * for one that contains a user name or a password (they would end up in the project's files), and for one that names no
 * repository.
 */
export function parseRepositoryUrl(text: string): RepositoryAddress {
  // The URL parser would remove or encode these, and so read a different address.
  if (/[\s\p{Cc}]/u.test(text.trim())) {
    throw new AppError(
      "invalid_input",
      "The address of the repository must not contain spaces or control characters",
    );
  }
  const url = URL.parse(text.trim());
  if (!url || text.length > MAX_LENGTH || !/^https?:$/u.test(url.protocol)) {
    throw new AppError(
      "invalid_input",
      "The address of the repository must begin with http:// or https:// and be at most 2000 characters long",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new AppError(
      "invalid_input",
      "The address of the repository must not contain a user name or password: connect your account at the git host",
    );
  }
  const path = url.pathname.replace(/\/+$/u, "");
  const names = path.split("/").filter((name) => name !== "");
  const last = decoded(names.at(-1) ?? "").replace(/\.git$/u, "");
  if (last === "" || url.origin === "null") {
    throw new AppError("invalid_input", "The address does not name a repository");
  }
  return {
    url: url.origin + path,
    origin: url.origin,
    owner: names.slice(0, -1).map(decoded).join("/"),
    name: last,
  };
}

/** Decoded for display; invalid percent-encoding stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
