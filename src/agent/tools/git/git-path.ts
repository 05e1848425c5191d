import { toProjectPath } from "../project-path.ts";

/** A path as git's operations take it; the root is as good as no path. Throws `invalid_input`. */
export function toGitPath(path: string | undefined): string | undefined {
  return (path === undefined ? "" : toProjectPath(path.replace(/\/+$/, ""))) || undefined;
}
