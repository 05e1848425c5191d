/** Where commands see the project. Links with absolute targets below it stay inside the project. */
export const PROJECT_MOUNT = "/project";

/** The directory that holds a path; the root for a name of the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** The last segment of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The project-relative form of an absolute path as commands see it; `undefined` outside the project. */
export function withinProject(absolute: string): string | undefined {
  if (absolute === PROJECT_MOUNT) return "";
  return absolute.startsWith(`${PROJECT_MOUNT}/`) ? absolute.slice(PROJECT_MOUNT.length + 1) : undefined;
}
