import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import { BINARY, contentTypeOf } from "#src/lib/content-types.ts";

/** Names that are not served: those that begin with a dot or contain a separator or NUL. */
// oxlint-disable-next-line no-control-regex -- NUL is part of no name
const HIDDEN = /^\.|[/\\\u0000]/u;

/** A file to be shown. */
export interface StaticFile {
  status: 200 | 404;
  contentType: string;
  size: number;
  /** Changes when the file changes. */
  etag: string;
  body: ReadableStream<Uint8Array>;
}

/**
 * The file for a URL path below a container's directory: the file itself, or `index.html` of a directory; otherwise the
 * `404.html` at the root. Names that begin with a dot are not served. `redirect` for a directory whose path lacks the
 * trailing slash.
 */
export async function staticFile(
  files: Pick<ProjectFiles, "stat" | "readStream">,
  root: string,
  urlPath: string,
): Promise<StaticFile | "redirect" | undefined> {
  const segments = segmentsOf(urlPath);
  if (!segments) return undefined;
  const path = join(root, ...segments);
  const isDirectory = urlPath.endsWith("/") || segments.length === 0;
  const found = await read(files, isDirectory ? join(path, "index.html") : path, 200);
  if (found) return found;
  if (!isDirectory && (await files.stat(join(path, "index.html"))) !== undefined) return "redirect";
  return read(files, join(root, "404.html"), 404);
}

/** The decoded names in a path; `undefined` if the path is malformed or contains a hidden name. */
function segmentsOf(urlPath: string): string[] | undefined {
  try {
    const segments = urlPath
      .split("/")
      .filter((segment) => segment !== "")
      .map((segment) => decodeURIComponent(segment));
    return segments.some((segment) => HIDDEN.test(segment)) ? undefined : segments;
  } catch {
    return undefined;
  }
}

async function read(
  files: Pick<ProjectFiles, "readStream">,
  path: string,
  status: 200 | 404,
): Promise<StaticFile | undefined> {
  const opened = await files.readStream(path);
  if (!opened) return undefined;
  const { entry, body } = opened;
  return {
    status,
    contentType: contentTypeOf(path) ?? BINARY,
    size: entry.size,
    etag: `"${entry.modifiedAt.toString(36)}-${entry.size.toString(36)}"`,
    body,
  };
}

function join(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("/");
}
