/**
 * The files of a repository with its working tree: the part of `node:fs` that git needs, over project-relative paths
 * without a leading slash (`src/app.ts`, `.git/HEAD`; the root is the empty string). An adapter never leads out of its
 * root, not even through a symbolic link, and its failures carry `code` as in Node (`fileError`).
 */
export interface GitFileSystem {
  /** `ENOENT`, or `EISDIR` for a directory. */
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Creates or replaces a file atomically; a link at the path is replaced, not followed. `ENOENT` when the parent is
   * missing.
   */
  writeFile(path: string, content: Uint8Array, options: { executable: boolean }): Promise<void>;
  /** One level: `ENOENT` when the parent is missing, `EEXIST`. */
  mkdir(path: string): Promise<void>;
  /** `ENOTEMPTY` when the directory is not empty. */
  rmdir(path: string): Promise<void>;
  /** Removes a file or link. */
  unlink(path: string): Promise<void>;
  /** Returns the state of the path itself, which may be a link. */
  lstat(path: string): Promise<GitFileStat>;
  /** Returns the state of the path's target. */
  stat(path: string): Promise<GitFileStat>;
  /** Names, in any order; `ENOTDIR` for a file. */
  readdir(path: string): Promise<string[]>;
  readlink(path: string): Promise<string>;
  /** `EEXIST` when something is at the path. */
  symlink(target: string, path: string): Promise<void>;
}

/**
 * Git considers a file unchanged while all these fields are as at its last read, so at least one of them must change
 * with the content.
 */
export interface GitFileStat {
  kind: "file" | "directory" | "symlink";
  /** Bytes. */
  size: number;
  executable: boolean;
  /** Milliseconds since the epoch, with fractions where they are known. */
  modifiedAt: number;
  changedAt: number;
  /** A number that distinguishes files, and preferably their contents. */
  inode: number;
}

export type FileErrorCode = "ENOENT" | "ENOTDIR" | "EISDIR" | "EEXIST" | "ENOTEMPTY" | "ELOOP" | "EACCES";

/** Creates a failure as `node:fs` throws it; git checks its `code`. */
export function fileError(code: FileErrorCode, path: string): Error & { code: FileErrorCode } {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
