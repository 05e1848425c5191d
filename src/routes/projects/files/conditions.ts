import { AppError } from "#src/lib/errors.ts";
import type { ExpectedVersion } from "#src/platform/runtime/expected-version.ts";

/** Conditional requests on files: RFC 9110, section 13. */

/** The `ETag` of a file's version, with its quotes. */
export function etagOf(version: string): string {
  return `"${version}"`;
}

/** The `ETag` header of a response about a file. */
export function etagHeader(version: string | undefined): Record<string, string> {
  return version === undefined ? {} : { etag: etagOf(version) };
}

/** What `If-Match`, or `If-None-Match: *`, of a change expects. Throws `invalid_input` for anything else. */
export function expectedVersion({ headers }: Request): ExpectedVersion | undefined {
  const match = headers.get("if-match");
  const noneMatch = headers.get("if-none-match");
  if (match !== null && noneMatch !== null) {
    throw new AppError("invalid_input", "Send If-Match or If-None-Match, not both");
  }
  if (match !== null) return match.trim() === "*" ? "present" : versionsIn("If-Match", match);
  if (noneMatch === null) return undefined;
  if (noneMatch.trim() !== "*") {
    throw new AppError("invalid_input", "If-None-Match of a change must be `*`");
  }
  return "absent";
}

/** The response 304 if the client has this version already, by `If-None-Match`. */
export function notModified({ headers }: Request, version: string | undefined): Response | undefined {
  const held = headers.get("if-none-match");
  if (held === null || version === undefined) return undefined;
  const isHeld = held.trim() === "*" || versionsIn("If-None-Match", held).includes(version);
  return isHeld
    ? new Response(null, { status: 304, headers: { ...etagHeader(version), "cache-control": "no-store" } })
    : undefined;
}

/**
 * The versions of a list of entity tags. A tag marked as weak counts, too: a proxy that compresses a response marks its
 * tag so, and the version is the file's nevertheless.
 */
function versionsIn(header: string, list: string): string[] {
  if (!TAGS.test(list)) {
    throw new AppError("invalid_input", `${header} must be \`*\` or a list of quoted entity tags`);
  }
  return [...list.matchAll(/"([^"]*)"/gu)].map(([, version = ""]) => version);
}

const TAGS = /^\s*(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*\s*$/u;
