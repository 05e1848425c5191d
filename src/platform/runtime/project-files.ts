/**
 * A project's files, one by one. Paths are project-relative POSIX paths without a leading slash, already through
 * `normalizePath` (src/lib/project-path.ts): `src/app.ts`; the root is the empty string. A driver checks containment again:
 * symbolic links are followed inside the project, and a path that leads out through one is `invalid_input`. Where a
 * directory is and a file is meant, reads find nothing and writes are a `conflict`.
 */
export interface ProjectFiles {
  /** What is at a path; a symbolic link is an entry of its own. */
  stat(path: string): Promise<FileEntry | undefined>;
  /**
   * The entries below a directory, parents before children, by name; `recursive` walks the whole tree, without the
   * directories whose name is in `exclude`. `not_found`, or `conflict` where there is no directory; `too_large` above
   * 100,000 entries.
   */
  list(path: string, options: { recursive: boolean; exclude?: readonly string[] }): Promise<FileEntry[]>;
  /** The whole file, at most 24 MiB (`too_large` above); `undefined` when there is no such file. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** Create or replace, making parent directories. At most 24 MiB; `writeStream` has no such bound. */
  writeFile(path: string, content: Uint8Array): Promise<FileEntry>;
  readStream(path: string): Promise<{ entry: FileEntry; body: ReadableStream<Uint8Array> } | undefined>;
  /** The old content stays until the whole body has arrived. `limit` in bytes: `too_large` above. */
  writeStream(path: string, body: ReadableStream<Uint8Array>, limit: number): Promise<FileEntry>;
  /** Make a directory and its parents; one that is there already is fine. */
  makeDirectory(path: string): Promise<void>;
  /** Move a file or directory, making parent directories; `not_found`, or `conflict` when the target exists. */
  rename(from: string, to: string): Promise<void>;
  /** Remove a file, or a directory with all it holds when `recursive`; `not_found` when nothing is there. */
  remove(path: string, options: { recursive: boolean }): Promise<void>;
}

export interface FileEntry {
  path: string;
  /** Last segment of the path. */
  name: string;
  kind: "file" | "directory" | "symlink";
  /** Bytes; 0 for directories. */
  size: number;
  /** Last change, in milliseconds since the epoch. */
  modifiedAt: number;
}
