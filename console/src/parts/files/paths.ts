/** The address of a file's page, below `/app`; of the files page without one. */
export function addressOf(project: string, path?: string): string {
  const below = path === undefined ? "" : `/${path.split("/").map(encodeURIComponent).join("/")}`;
  return `/projects/${project}/files${below}`;
}

/** The file that an address of the browser names, escapes taken back; undefined for that of the page itself. */
export function pathIn(pathname: string): string | undefined {
  const below = /^\/app\/projects\/[^/]+\/files\/(.+)$/u.exec(pathname)?.[1];
  if (below === undefined) return undefined;
  try {
    return below.split("/").map(decodeURIComponent).join("/");
  } catch {
    return undefined;
  }
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The directory of a path; empty for the project's root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function joined(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

/** The directories above a path, the outermost first. */
export function parentsOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Whether a path is another one, or below it. */
export function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`);
}
