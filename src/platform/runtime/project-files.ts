import type { ExpectedVersion } from "./expected-version.ts";

/**
 * A project's files, one by one. Paths are project-relative POSIX paths without a leading slash, already normalised by
 * `normalizePath` (src/lib/project-path.ts): `src/app.ts`; the root is the empty string. A driver checks containment
 * again: symbolic links are followed inside the project, and a path that leads out through one is `invalid_input`.
 * Where a directory stands in place of a file, reads return undefined and writes are a `conflict`.
 *
 * A change with `expected` is `precondition_failed`, and changes nothing, unless the file that a read of the path returns
 * has an expected version. The check and the change are one step for all callers of the runtime.
 */
export interface ProjectFiles {
  /** Returns the entry at a path; a symbolic link is an entry itself. */
  stat(path: string): Promise<FileEntry | undefined>;
  /**
   * Returns the entries below a directory, parents before children, by name; `recursive` walks the whole tree, without
   * the directories whose name is in `exclude`. `not_found`, or `conflict` if the path is not a directory; `too_large`
   * above 100,000 entries.
   */
  list(path: string, options: { recursive: boolean; exclude?: readonly string[] }): Promise<FileEntry[]>;
  /** Returns the whole file, at most 24 MiB (`too_large` above); `undefined` if there is no such file. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** Creates or replaces a file, with its parent directories. At most 24 MiB; `writeStream` has no such limit. */
  writeFile(path: string, content: Uint8Array, expected?: ExpectedVersion): Promise<FileEntry>;
  readStream(path: string): Promise<{ entry: FileEntry; body: ReadableStream<Uint8Array> } | undefined>;
  /** The old content stays until the whole body has arrived. `limit` in bytes: `too_large` above. */
  writeStream(
    path: string,
    body: ReadableStream<Uint8Array>,
    limit: number,
    expected?: ExpectedVersion,
  ): Promise<FileEntry>;
  /** Makes a directory and its parents. Idempotent. */
  makeDirectory(path: string): Promise<void>;
  /**
   * Moves a file or directory, with parent directories; `not_found`, or `conflict` when the target exists. `expected` is
   * about the file that is moved.
   */
  rename(from: string, to: string, expected?: ExpectedVersion): Promise<void>;
  /** Removes a file, or with `recursive` a directory and its contents; `not_found` when nothing is there. */
  remove(
    path: string,
    options: { recursive: boolean; expected?: ExpectedVersion | undefined },
  ): Promise<void>;
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
  /**
   * Version of a file's content, opaque: equal only for the same content. Links and directories have none. A runtime may
   * give the same content another version when it is written again or restored.
   */
  version?: string | undefined;
}
