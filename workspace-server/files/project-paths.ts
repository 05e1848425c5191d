import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { fileFailure, leadsOut } from "../file-failure.ts";

/** The server's own directory at the project's root: no call sees it. */
export const TEMPORARY = ".workspace-tmp";
export const SWAP = ".workspace-swap";
const RESERVED: ReadonlySet<string> = new Set([TEMPORARY, SWAP]);

const MAX_LINKS = 40;
/**
 * Longest path of a project, in UTF-8 bytes. The kernel allows 4,095 bytes for an absolute path, and restored files are
 * first created in a staging place below the root. A program that descends step by step can still create longer paths.
 */
const MAX_PATH_BYTES = 4000;

/**
 * Resolves project-relative paths. Links are followed inside the project only. A program of the project can change a
 * link between this check and the following action; it gains nothing, because it can reach everything that the server
 * can.
 */
export class ProjectPaths {
  /** Absolute path without links. */
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  absolute(real: string): string {
    return join(this.root, real);
  }

  /**
   * Returns the path with its links followed: links of parent directories always, the last one with `follow`. Parts
   * that do not exist stay as written. Synchronous, so that no other work of this server runs before a synchronous
   * action.
   */
  resolve(path: string, { follow }: { follow: boolean }): string {
    if (path.includes("\0")) throw fileFailure("EINVAL", path);
    const pending = path.split("/");
    const walked: string[] = [];
    let links = 0;
    for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
      if (name === "" || name === ".") continue;
      if (name === "..") {
        if (walked.pop() === undefined) throw leadsOut(path);
        continue;
      }
      walked.push(name);
      const found = lstatSync(this.absolute(walked.join("/")), { throwIfNoEntry: false });
      const isLast = pending.length === 0;
      if (found === undefined || found.isDirectory()) continue;
      if (!found.isSymbolicLink()) {
        if (!isLast) throw fileFailure("ENOTDIR", path);
        continue;
      }
      if (isLast && !follow) continue;
      links += 1;
      if (links > MAX_LINKS) throw fileFailure("ELOOP", path);
      const target = readlinkSync(this.absolute(walked.join("/")));
      walked.pop();
      if (target.startsWith("/")) {
        const inside = this.#within(target);
        if (inside === undefined) throw leadsOut(path);
        walked.length = 0;
        pending.unshift(...inside.split("/"));
      } else pending.unshift(...target.split("/"));
    }
    if (isReserved(walked.join("/"))) throw fileFailure("ENOENT", path);
    return walked.join("/");
  }

  #within(absolute: string): string | undefined {
    if (absolute === this.root) return "";
    return absolute.startsWith(`${this.root}/`) ? absolute.slice(this.root.length + 1) : undefined;
  }
}

/** Whether a path is too long to be stored, and perhaps to be reached at all. */
export function isTooLong(real: string): boolean {
  return Buffer.byteLength(real) > MAX_PATH_BYTES;
}

/** Whether a resolved path is the server's own. */
export function isReserved(real: string): boolean {
  return RESERVED.has(real.split("/", 1)[0] ?? "");
}

/** Returns the directory of a path; the root for a name in the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** Returns the last segment of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
