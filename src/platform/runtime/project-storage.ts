/**
 * A project's files as a whole: read for a snapshot, replaced, and removed while the project is hibernated.
 *
 * Files are `present`; `frozen` while they are being moved away: readable, and every change is `unavailable`; or
 * `absent`: every operation on files is `asleep`. Every move names a generation as a fence: freezing under a newer one
 * takes over, and calls under an older one are a `conflict`.
 */
export interface ProjectStorage {
  storageState(): Promise<StorageState>;
  /** Stops all changes until `thaw`; changes under way are done or refused when this resolves. */
  freeze(generation: number): Promise<void>;
  thaw(generation: number): Promise<void>;
  /** Removes all files, which must be frozen under this generation. Idempotent. */
  discard(generation: number): Promise<void>;
  /**
   * Returns every entry, including directories and links, parents before children. `too_large` above 100,000. Where
   * programs can create paths that are too long to be stored, those are left out with everything below them, and a line
   * is logged.
   */
  inventory(): Promise<InventoryEntry[]>;
  /**
   * Returns the entries at these paths with their contents, in this order. An entry that is gone by then is left out.
   * An entry's content must be read (or returned from) before the next entry is requested.
   */
  readEntries(paths: readonly string[]): Promise<AsyncIterable<EntryWithContent>>;
  /**
   * Replaces all of the project's files by these entries, once the last one has arrived: an iteration that throws, or a
   * crash, changes nothing. Absent files become present. A parent comes before its children.
   */
  replaceEntries(entries: AsyncIterable<EntryWithContent>, generation?: number): Promise<void>;
}

export interface StorageState {
  state: "present" | "frozen" | "absent";
  generation: number;
  /** The absent files were not moved away but lost with their disk. Set until other files replace them. */
  lost?: true | undefined;
}

/** What is needed to restore an entry. */
export interface StoredEntry {
  path: string;
  kind: "file" | "directory" | "symlink";
  /** Size in bytes of a file; 0 for others. */
  size: number;
  /** Permission bits, such as 0o644. */
  mode: number;
  /** In milliseconds since the epoch. */
  modifiedAt: number;
  /** Target of a link; empty for others. */
  target: string;
}

export interface InventoryEntry extends StoredEntry {
  /** Changes whenever the content of a file may have changed; opaque, compared with earlier values of the same path. */
  fingerprint: string;
}

export interface EntryWithContent {
  entry: StoredEntry;
  /** Exactly `size` bytes; nothing for directories and links. */
  content: AsyncIterable<Uint8Array>;
}
