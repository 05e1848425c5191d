import { toProjectPath } from "../project-path.ts";

/** Converts a path to the form that git's operations take; the root becomes undefined. Throws `invalid_input`. */
export function toGitPath(path: string | undefined): string | undefined {
  return (path === undefined ? "" : toProjectPath(path.replace(/\/+$/, ""))) || undefined;
}
