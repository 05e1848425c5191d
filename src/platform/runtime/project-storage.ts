/**
 * A project's files as a whole: taken out for a snapshot, put back, and taken away while the project is hibernated.
 *
 * Files are `present`; `frozen` while they are being moved away: readable, and every change is `unavailable`; or `absent`:
 * everything that needs files is `asleep`. Whoever moves them names a generation: freezing under a newer one takes over,
 * and whatever comes under an older one is `conflict`.
 */
export interface ProjectStorage {
  storageState(): Promise<StorageState>;
  /** Nothing changes any more until `thaw`; what had begun is done or refused when this resolves. */
  freeze(generation: number): Promise<void>;
  thaw(generation: number): Promise<void>;
  /** Take away all files, which must be frozen under this generation. Safe to repeat. */
  discard(generation: number): Promise<void>;
  /**
   * Every entry, directories and links included, parents before children. `too_large` above 100,000. Where programs can make
   * paths that are too long to be kept, those are left out with all that is below them, and the log says so.
   */
  inventory(): Promise<InventoryEntry[]>;
  /**
   * The entries at these paths with their contents, in this order. One that is gone by then is left out. An entry's
   * content must be read (or returned from) before the next entry is asked for.
   */
  readEntries(paths: readonly string[]): Promise<AsyncIterable<EntryWithContent>>;
  /**
   * Make these entries the project's files, in place of all that are there, once the last one has arrived: an iteration
   * that throws, or a crash, changes nothing. Absent files become present. A parent comes before its children.
   */
  replaceEntries(entries: AsyncIterable<EntryWithContent>, generation?: number): Promise<void>;
}

export interface StorageState {
  state: "present" | "frozen" | "absent";
  generation: number;
  /** Nobody took the absent files away: what they were in has ended with them. Until others take their place. */
  lost?: true | undefined;
}

/** What is needed to make an entry again. */
export interface StoredEntry {
  path: string;
  kind: "file" | "directory" | "symlink";
  /** Bytes of a file; 0 for others. */
  size: number;
  /** Permission bits, such as 0o644. */
  mode: number;
  /** In milliseconds since the epoch. */
  modifiedAt: number;
  /** What a link says; empty for others. */
  target: string;
}

export interface InventoryEntry extends StoredEntry {
  /** Changes whenever the content of a file may have; opaque, compared with earlier ones of the same path. */
  fingerprint: string;
}

export interface EntryWithContent {
  entry: StoredEntry;
  /** Exactly `size` bytes; nothing for directories and links. */
  content: AsyncIterable<Uint8Array>;
}
