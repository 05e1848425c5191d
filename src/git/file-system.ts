/**
 * The files a repository is kept in, with its working tree: what git needs of `node:fs`, over project-relative paths without
 * a leading slash (`src/app.ts`, `.git/HEAD`; the root is the empty string). An adapter never leads out of its root, also
 * not through a symbolic link, and its failures carry `code` as in Node (`fileError`).
 */
export interface GitFileSystem {
  /** `ENOENT`, or `EISDIR` for a directory. */
  readFile(path: string): Promise<Uint8Array>;
  /** Create or replace, in one step; a link at the path is replaced, not followed. `ENOENT` when the parent is missing. */
  writeFile(path: string, content: Uint8Array, options: { executable: boolean }): Promise<void>;
  /** One level: `ENOENT` when the parent is missing, `EEXIST`. */
  mkdir(path: string): Promise<void>;
  /** `ENOTEMPTY` when something is in it. */
  rmdir(path: string): Promise<void>;
  /** Remove a file or link. */
  unlink(path: string): Promise<void>;
  /** What is at the path itself, be it a link. */
  lstat(path: string): Promise<GitFileStat>;
  /** What is at the path once links are followed. */
  stat(path: string): Promise<GitFileStat>;
  /** Names, in any order; `ENOTDIR` for a file. */
  readdir(path: string): Promise<string[]>;
  readlink(path: string): Promise<string>;
  /** `EEXIST` when something is at the path. */
  symlink(target: string, path: string): Promise<void>;
}

/**
 * Git takes a file for unchanged while all of this is as it was when it last read it, so at least one of the fields must
 * change with the content.
 */
export interface GitFileStat {
  kind: "file" | "directory" | "symlink";
  /** Bytes. */
  size: number;
  executable: boolean;
  /** Milliseconds since the epoch, with fractions where they are known. */
  modifiedAt: number;
  changedAt: number;
  /** Any number that tells files apart, and best their contents too. */
  inode: number;
}

export type FileErrorCode = "ENOENT" | "ENOTDIR" | "EISDIR" | "EEXIST" | "ENOTEMPTY" | "ELOOP" | "EACCES";

/** A failure as `node:fs` throws it; git decides by its `code`. */
export function fileError(code: FileErrorCode, path: string): Error & { code: FileErrorCode } {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
