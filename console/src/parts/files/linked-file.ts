/** A file of a project that a text names. */
export interface NamedFile {
  readonly path: string;
  /** From 1. */
  readonly line?: number;
}

/** A path as people write one. A colon or a quote would be part of an address, or of something that pretends to be a path. */
const PATH = /^(?:\.?\/)?(?<path>[^\s/:?#<>|"&;\\][^:?#<>|"&;\\]*?)(?:#L?(?<line>\d{1,6})(?:-L?\d+)?)?$/u;

/** The file that a relative address names; undefined for an address of elsewhere, and for one that leaves the project. */
export function linkedFile(href: string): NamedFile | undefined {
  const found = PATH.exec(decoded(href))?.groups;
  const path = found?.["path"]?.replace(/\/+$/u, "");
  if (path === undefined || path === "" || path.split("/").some((part) => part === ".." || part === ""))
    return undefined;
  const line = Number(found?.["line"]);
  return line > 0 ? { path, line } : { path };
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
